/** What the sharing server lets be read. */
import type { BuiltinResource } from '../builtin.ts';
import type { SharingContext } from './context.ts';
import { toSafetyNumber } from './identity.ts';
import { listContacts } from './rows/contacts.ts';

/** The one resource. */
export const SHARING_RESOURCES: readonly BuiltinResource<SharingContext>[] = [
  {
    uri: 'sharing://contacts',
    name: 'contacts',
    title: 'Contacts',
    description: 'Whom you share with, and the safety numbers to compare',
    mimeType: 'application/json',
    async read(context) {
      const { key } = await context.identity();
      const contacts = await listContacts(context);
      return JSON.stringify(
        contacts.map(({ name, fingerprint, blocked, created_at, peer_key }) => ({
          name,
          id: fingerprint,
          blocked: blocked === 1,
          added: created_at,
          safety_number: toSafetyNumber(key, peer_key),
        })),
      );
    },
  },
];

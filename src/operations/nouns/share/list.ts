/** `share list`: what is shared, where, and until when. */
import * as z from 'zod';
import { openShares } from '../../../session/shares.ts';
import { defineOperation } from '../../operation.ts';
import { findUrl, START_SERVING, toAddress } from '../../shares/address.ts';
import { toMoment } from '../../shown/moment.ts';

const OUTPUT = z.object({
  shares: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(['server', 'profile']),
      target: z.string(),
      /** Below the URL of a gateway. */
      address: z.string(),
      url: z.string().optional(),
      expiresAt: z.string(),
      lastUsed: z.string().optional(),
    }),
  ),
  /** Whether a process serves them. */
  serving: z.boolean(),
});

/** Lists the shares. */
export const list = defineOperation({
  noun: 'share',
  verb: 'list',
  summary: 'what is shared, where and until when',
  input: z.object({}),
  output: OUTPUT,
  effects: 'reads',
  formerly: ['list_shared_servers'],
  examples: [{}],
  async run(_input, house) {
    const shares = await openShares(await house.store(), () => house.now().getTime()).list();
    const url = await findUrl(house);
    return {
      shares: shares.map(({ name, kind, target, expiresAt, usedAt }) => ({
        name,
        kind,
        target,
        address: toAddress(name),
        ...(url !== undefined && { url: `${url}${toAddress(name)}` }),
        expiresAt: new Date(expiresAt).toISOString(),
        ...(usedAt !== undefined && { lastUsed: new Date(usedAt).toISOString() }),
      })),
      serving: url !== undefined,
    };
  },
  toText({ shares, serving }) {
    if (shares.length === 0)
      return 'Nothing is shared. Share a server or a profile with thimble share start <name>.';
    const lines = shares.map(({ name, kind, target, address, url, expiresAt, lastUsed }) => {
      const used = lastUsed === undefined ? 'not used yet' : `last used ${toMoment(lastUsed)}`;
      return `${name}: the ${kind} ${target} at ${url ?? address}, until ${toMoment(expiresAt)}, ${used}`;
    });
    return serving ? lines.join('\n') : [...lines, `They are not reachable: ${START_SERVING}.`].join('\n');
  },
});

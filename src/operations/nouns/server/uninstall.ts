/** `server uninstall`: takes a server out, with its secrets, its login and its program. */
import * as z from 'zod';
import { forgetLessons } from '../../../catalog/lesson-keeper.ts';
import type { ConfigContent } from '../../../config/config-file.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import type { UpstreamId } from '../../../model/ids.ts';
import { isJsonObject, type JsonObject } from '../../../model/json.ts';
import type { UpstreamConfig } from '../../../upstream/upstream.ts';
import type { House } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { findUnused } from '../../secrets/forget-secrets.ts';
import { secretNamesIn } from '../../secrets/secret-values.ts';
import { type Configured, findConfigured } from '../../servers/server-entries.ts';
import { count } from '../../shown/words.ts';
import { NAME } from './inputs.ts';
import { findInstanceKey, forgetEntry } from './keep-entry.ts';

/** Removes a server. */
export const uninstall = defineOperation({
  noun: 'server',
  verb: 'uninstall',
  summary: 'remove a server with its secrets',
  input: z.object({ name: NAME }),
  output: z.object({
    name: z.string(),
    file: z.string(),
    /** The profiles it was in. */
    profiles: z.array(z.string()),
    /** How many sealed values were forgotten. */
    secrets: z.number(),
  }),
  effects: 'acts',
  destructive: true,
  words: ['name'],
  short: 'uninstall',
  formerly: ['uninstall_server'],
  examples: [{ name: 'github' }],
  async plan({ name: word }, house) {
    const content = await house.config.read();
    const { name, entry } = findOwn(content, word);
    const { mcpServers, ...rest } = content.value;
    const others = Object.entries(isJsonObject(mcpServers) ? mcpServers : {}).filter(([key]) => key !== name);
    const after = { ...rest, mcpServers: Object.fromEntries(others) };
    const sealed = await findUnused(secretNamesIn(entry), after, house);
    return {
      summary: `uninstall the server ${name}`,
      details: [
        `removes: mcpServers.${name} from ${content.path}`,
        ...(sealed.length > 0 ? [`forgets for good: ${sealed.join(', ')}`] : []),
        'forgets its login, and what was seen of it',
      ],
    };
  },
  async run({ name: word }, house) {
    const { id, name, tags, entry, upstream } = findOwn(await house.config.read(), word);
    const key = upstream && (await findInstanceKey(upstream, house));
    const { path, after } = await house.config.edit(({ value: { mcpServers } }) => {
      const isThere = isJsonObject(mcpServers) && Object.hasOwn(mcpServers, name);
      return isThere ? [{ path: ['mcpServers', name], value: undefined }] : [];
    });
    const forgotten = await forgetEntry(entry, house);
    const inUse = await findKeys(after.config.upstreams, house);
    const { manifests, credentials, lessons } = await house.store();
    for (const kept of [manifests, credentials]) {
      if (key && !inUse.has(key)) await kept.remove(key);
      await kept.removeAll(id as UpstreamId, inUse);
    }
    await forgetLessons(lessons, id);
    return { name, file: path, profiles: [...tags], secrets: forgotten.length };
  },
  toText({ name, file, profiles, secrets }) {
    const kept =
      secrets > 0
        ? ` ${count(secrets, 'sealed value')} of it ${secrets === 1 ? 'was' : 'were'} forgotten.`
        : '';
    const had = profiles.length > 0 ? ` It was in the profiles ${profiles.join(', ')}.` : '';
    return `${name} is taken out of ${file}.${kept}${had}`;
  },
});

/** What is kept under these keys belongs to others as well. */
async function findKeys(upstreams: readonly UpstreamConfig[], house: House): Promise<ReadonlySet<string>> {
  return new Set(await Promise.all(upstreams.map((upstream) => findInstanceKey(upstream, house))));
}

/** A server that somebody configured; ours can only be switched off. */
function findOwn(content: ConfigContent, word: string): Configured & { readonly entry: JsonObject } {
  const found = findConfigured(content, word);
  if (!found.builtin && found.entry) return { ...found, entry: found.entry };
  throw new GatewayError(
    'INVALID_PARAMS',
    `${found.name} is built in and cannot be taken out; switch it off with thimble server disable ${found.id}`,
  );
}

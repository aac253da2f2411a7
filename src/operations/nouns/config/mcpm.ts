/** The servers of MCPM's folder, of both programs of that name, in our form. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../../model/json.ts';
import type { Incoming } from '../../intake/find-fault.ts';

/** Reads `servers.json`, with the profiles one of the two keeps in a file of their own. */
export function fromMcpm(servers: JsonObject, profiles: JsonObject): readonly Incoming[] {
  return Object.entries(servers).flatMap(([name, entry]) => {
    if (!isJsonObject(entry)) return [];
    const tags = [...toTexts(entry['profile_tags']), ...findProfiles(name, profiles)];
    const own = toEntry(isJsonObject(entry['config']) ? entry['config'] : entry);
    return [{ name, entry: { ...own, ...(tags.length > 0 && { tags: [...new Set(tags)] }) } }];
  });
}

function toEntry(entry: JsonObject): JsonObject {
  const { type, command, args, env, cwd, url, headers } = entry;
  if (typeof url === 'string' && typeof command !== 'string')
    return { type: 'http', url, ...toMap('headers', headers) };
  return {
    // What cannot be used is said by the check, by its own name.
    ...(command !== undefined && command !== null ? { command } : { ...(type !== undefined && { type }) }),
    ...(Array.isArray(args) && args.length > 0 && { args: args.map(String) }),
    ...toMap('env', env),
    ...(typeof cwd === 'string' && { cwd }),
  };
}

function toMap(name: string, value: JsonValue | undefined): JsonObject {
  if (!isJsonObject(value) || Object.keys(value).length === 0) return {};
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return { [name]: Object.fromEntries(members.map(([key, member]) => [key, String(member)])) };
}

/** `{ profile: { servers: [...] } }`. */
function findProfiles(server: string, profiles: JsonObject): readonly string[] {
  return Object.entries(profiles).flatMap(([name, profile]) =>
    isJsonObject(profile) && toTexts(profile['servers']).includes(server) ? [name] : [],
  );
}

function toTexts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value)
    ? value.filter((each): each is string => typeof each === 'string' && each !== '')
    : [];
}

/** Where URIs stand in what servers send, and how they are replaced there. */
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';

/** The members of `_meta` that name the page of an app, where it is not under `ui`. */
export const PAGE_MEMBERS: readonly string[] = ['ui/resourceUri', 'openai/outputTemplate'];

/** The members that carry a URI, wherever the protocol puts one: links, contents, updates, an app's own page. */
const URI_MEMBERS: ReadonlySet<string> = new Set(['uri', 'uriTemplate', 'resourceUri', ...PAGE_MEMBERS]);

/** The members that may hold objects with such members; whatever a tool made itself is never looked into. */
const CARRIERS: ReadonlySet<string> = new Set([
  'content',
  'contents',
  'resource',
  'messages',
  '_meta',
  'ui',
  'ref',
]);

/** Replaces every URI; the same object comes back when none differs. */
export function mapUris(value: JsonObject, toPublic: (uri: string) => string): JsonObject {
  let mapped: Record<string, JsonValue | undefined> | undefined;
  for (const key of Object.keys(value)) {
    const member = value[key];
    const replaced = mapMember(key, member, toPublic);
    if (replaced === member) continue;
    mapped ??= { ...value };
    mapped[key] = replaced;
  }
  return mapped ?? value;
}

function mapMember(
  key: string,
  member: JsonValue | undefined,
  toPublic: (uri: string) => string,
): JsonValue | undefined {
  if (typeof member === 'string') return URI_MEMBERS.has(key) ? toPublic(member) : member;
  if (!CARRIERS.has(key)) return member;
  if (isJsonObject(member)) return mapUris(member, toPublic);
  if (!Array.isArray(member)) return member;
  const items = member.map((item) => (isJsonObject(item) ? mapUris(item, toPublic) : item));
  return items.some((item, at) => item !== member[at]) ? items : member;
}

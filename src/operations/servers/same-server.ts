/** Whether two entries mean the same server, though two programs wrote them down. */
import { findLauncher } from '../../clients/launchers.ts';
import { isJsonObject, type JsonObject, type JsonValue, toCanonicalJson } from '../../model/json.ts';

const YES: ReadonlySet<string> = new Set(['-y', '--yes']);

/**
 * True when both run the same or dial the same, and do not contradict one another in a variable or a header. Where one
 * of them is switched off they have to say the same: nobody is to be given what somebody switched off.
 */
export function isSameServer(a: JsonObject, b: JsonObject): boolean {
  if (toReach(a) !== toReach(b) || !agree(a['env'], b['env']) || !agree(a['headers'], b['headers']))
    return false;
  return isOff(a) === isOff(b) || (findAdded(a, b).length === 0 && findAdded(b, a).length === 0);
}

/** True when both say the same in everything but the profiles they are in. */
export function isSameDefinition(a: JsonObject, b: JsonObject): boolean {
  return toDefinition(a) === toDefinition(b);
}

/** True when both are the same server and one entry says all that the other says, so that it can stand for it. */
export function hasAllOf(entry: JsonObject, other: JsonObject): boolean {
  return isSameServer(entry, other) && findAdded(entry, other).length === 0;
}

/** The names of variables and headers that only the other one has. */
export function findAdded(entry: JsonObject, other: JsonObject): readonly string[] {
  return ['env', 'headers'].flatMap((key) => {
    const own = toMembers(entry[key]);
    return Object.keys(toMembers(other[key])).filter((name) => !Object.hasOwn(own, name));
  });
}

/** One entry with the variables and headers that only the other one has, and on when either is. */
export function complete(entry: JsonObject, other: JsonObject): JsonObject {
  const { enabled: _enabled, ...on } = entry;
  const base = isOff(entry) && !isOff(other) ? on : entry;
  const merged = (key: string) => {
    const both = { ...toMembers(other[key]), ...toMembers(entry[key]) };
    return Object.keys(both).length > 0 ? { [key]: both } : {};
  };
  return { ...base, ...merged('env'), ...merged('headers') };
}

function isOff({ enabled }: JsonObject): boolean {
  return enabled === false;
}

/** What is run, or dialled, in one spelling. */
function toReach(entry: JsonObject): string {
  const { url, command, args, cwd } = entry;
  if (typeof url === 'string') return toAddress(url);
  const words = [command, ...(Array.isArray(args) ? args : [])].map(String);
  // On Windows npx has to be started by way of the shell.
  const plain =
    /^cmd(\.exe)?$/i.test(words[0] ?? '') && words[1]?.toLowerCase() === '/c' ? words.slice(2) : words;
  const [program = '', ...rest] = plain;
  const launcher = findLauncher(program)?.name;
  const kept = launcher === 'npx' ? rest.filter((word) => !YES.has(word)) : rest;
  return toCanonicalJson([launcher ?? program, ...kept, cwd ?? '']);
}

function toAddress(url: string): string {
  try {
    const { href } = new URL(url);
    return href.replace(/\/$/, '');
  } catch {
    return url;
  }
}

/** True unless something that both say differs. */
function agree(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  const [one, other] = [toMembers(a), toMembers(b)];
  return Object.keys(one).every((key) => !Object.hasOwn(other, key) || one[key] === other[key]);
}

function toMembers(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** What makes a server itself, whatever profiles it is in; an empty member says nothing. */
function toDefinition({ tags: _tags, type, ...entry }: JsonObject): string {
  const said = Object.entries(entry).filter(
    ([, value]) => !(typeof value === 'object' && value !== null && Object.keys(value).length === 0),
  );
  const kind = type === 'stdio' && entry['command'] !== undefined ? undefined : type;
  return toCanonicalJson({ ...Object.fromEntries(said), type: kind });
}

/** Whether two entries mean the same server, though two clients wrote them down. */
import { isJsonObject, type JsonObject, type JsonValue, toCanonicalJson } from '../../../model/json.ts';

/** Programs that are the same wherever they were found. */
const LAUNCHERS: ReadonlySet<string> = new Set([
  ...['npx', 'bunx', 'uvx', 'uv', 'pipx', 'pnpm', 'yarn', 'bun', 'deno'],
  ...['node', 'python', 'python3', 'docker', 'podman'],
]);
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
  const name =
    program
      .split(/[\\/]/)
      .at(-1)
      ?.replace(/\.(cmd|exe|bat)$/i, '') ?? '';
  const isLauncher = LAUNCHERS.has(name.toLowerCase());
  const kept = name === 'npx' ? rest.filter((word) => !YES.has(word)) : rest;
  return toCanonicalJson([isLauncher ? name.toLowerCase() : program, ...kept, cwd ?? '']);
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

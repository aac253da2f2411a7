/** A server in a few words: enough to know it again, nothing that could be a secret. */
import type { JsonObject, JsonValue } from '../model/json.ts';

/** Programs that fetch and run a package, which is then what counts. */
const LAUNCHERS: ReadonlySet<string> = new Set(['npx', 'bunx', 'uvx', 'pipx', 'pnpm', 'yarn']);
const PACKAGE = /^(?:@[\w.-]+\/)?[\w.-]{2,60}(?:@[\w.^~-]{1,20})?$/;
const NOT_PACKAGES: ReadonlySet<string> = new Set(['run', 'dlx', 'exec', 'x']);

/** `npx @some/server`, `python`, or `https://host`. */
export function toSummary(entry: JsonObject | undefined): string {
  if (!entry) return '';
  const { url, command, args } = entry;
  if (typeof url === 'string') return toOrigin(url);
  if (typeof command !== 'string') return '';
  const program = command.split(/[\\/]/).at(-1) ?? '';
  const list: readonly JsonValue[] = Array.isArray(args) ? args : [];
  const name = LAUNCHERS.has(program.replace(/\.(cmd|exe|bat)$/i, '')) ? list.find(isPackage) : undefined;
  return name === undefined ? program : `${program} ${String(name)}`;
}

function isPackage(word: JsonValue): boolean {
  return typeof word === 'string' && !word.startsWith('-') && !NOT_PACKAGES.has(word) && PACKAGE.test(word);
}

/** A path or a query may hold a key, so only the host is told. */
function toOrigin(url: string): string {
  try {
    const { protocol, host } = new URL(url);
    return `${protocol}//${host}`;
  } catch {
    return 'an address';
  }
}

/** A server in a few words: enough to know it again, nothing that could be a secret. */
import type { JsonObject, JsonValue } from '../model/json.ts';
import { findLauncher, SUBCOMMANDS } from './launchers.ts';

const PACKAGE = /^(?:@[\w.-]+\/)?[\w.-]{2,60}(?:@[\w.^~-]{1,20})?$/;
/** Behind these stands a program itself. */
const TEXT_FLAGS = /^(-e|-c|-p|-lc|-m|--eval|--print)$/;
const SCRIPT = /^[\w.@-]{1,60}\.\w{1,6}$/;

/** `npx @some/server`, `node server.js`, `python -c …`, or `https://host`. */
export function toSummary(entry: JsonObject | undefined): string {
  if (!entry) return '';
  const { url, command, args } = entry;
  if (typeof url === 'string') return toOrigin(url);
  if (typeof command !== 'string') return '';
  const program = command.split(/[\\/]/).at(-1) ?? '';
  const list: readonly JsonValue[] = Array.isArray(args) ? args : [];
  const kind = findLauncher(command)?.kind;
  const name = kind === 'package' ? list.find(isPackage) : kind === 'file' ? toScript(list) : undefined;
  return name === undefined ? program : `${program} ${String(name)}`;
}

/** The file name of the script, or the flag by which the program is a text. */
function toScript(args: readonly JsonValue[]): string | undefined {
  const first = args.find(
    (word) => typeof word === 'string' && (!word.startsWith('-') || TEXT_FLAGS.test(word)),
  );
  if (typeof first !== 'string') return undefined;
  if (first === '-m') return toModule(args);
  if (first.startsWith('-')) return `${first} …`;
  const name = first.split(/[\\/]/).at(-1) ?? '';
  return SCRIPT.test(name) ? name : undefined;
}

function toModule(args: readonly JsonValue[]): string {
  const name = args[args.indexOf('-m') + 1];
  return typeof name === 'string' && /^[\w.]{1,60}$/.test(name) ? `-m ${name}` : '-m …';
}

function isPackage(word: JsonValue): boolean {
  return typeof word === 'string' && !word.startsWith('-') && !SUBCOMMANDS.has(word) && PACKAGE.test(word);
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

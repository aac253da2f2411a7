/** A change of a client's file as a person may see it: a diff without the values that are nobody's business. */
import type { ClientFileChange } from '../../clients/clients.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { toDiffLines } from '../diff-lines.ts';
import { HIDDEN, looksSecret, scrub, secretsIn } from '../secret-values.ts';

/** `"name": "value"`, `name = "value"` and `name: value`, with what stands before and behind. */
const PAIR = /^([+\- ]\s*(?:-\s+)?)(["']?)([\w.$-]{1,80})\2(\s*[:=]\s*)(.+?)(,?\s*)$/;
const REFERENCE = /^\$\{[^{}]*\}$/;
/** Where clients keep variables and headers. */
const HOLDERS: readonly string[] = ['env', 'headers', 'envs', 'environment', 'http_headers'];
/** So short a text may stand anywhere, so it is looked for only behind its name. */
const SHORT = 4;

/** What has to be hidden. */
interface Hidden {
  readonly texts: ReadonlySet<string>;
  /** Short values with what they are called. */
  readonly pairs: readonly RegExp[];
}

/** The diff of a change, line by line. */
export function toShownDiff({ path, before, after, entries }: ClientFileChange): readonly string[] {
  const hidden = toHidden(entries());
  const lines = toDiffLines(path, before, after ?? '');
  const [from = '', to = '', ...changes] = lines;
  const shown = lines.length === 0 ? [] : [from, to, ...changes.map((line) => hideLine(line, hidden))];
  return after === undefined ? [...shown, `(${path} is removed: it was not there before)`] : shown;
}

/** Every value of a variable or a header, and what else of an entry is secret; also as files write them. */
function toHidden(entries: readonly JsonObject[]): Hidden {
  const held = entries.flatMap((entry) => HOLDERS.flatMap((key) => toPairs(entry[key])));
  const values = [...held.map(([, value]) => value), ...entries.flatMap(secretsIn)];
  const literal = values.filter((value) => value !== '' && !REFERENCE.test(value));
  const texts = literal.flatMap((value) => [value, toEscaped(value), ...value.split(/\r?\n/)]);
  const short = held.filter(([, value]) => value !== '' && value.length < SHORT);
  return { texts: new Set(texts.filter((text) => text !== '')), pairs: short.map(toPattern) };
}

function toPairs(value: JsonObject[string]): readonly (readonly [string, string])[] {
  return Object.entries(isJsonObject(value) ? value : {}).map(([name, member]) => [name, String(member)]);
}

function toEscaped(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function toPattern([name, value]: readonly [string, string]): RegExp {
  const [key, text] = [name, value].map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`(${key}["']?\\s*[:=]\\s*["']?)${text}(?![\\w.-])`, 'g');
}

function hideLine(given: string, { texts, pairs }: Hidden): string {
  const line = given.trimEnd();
  const [, head, quote, name = '', is, written = '', tail] = PAIR.exec(line) ?? [];
  const value = written.replace(/^(["'])(.*)\1$/, '$2');
  // References are what a person wants to see.
  if (REFERENCE.test(value)) return line;
  // A line that was cut may hold the first part of something that would be known as a whole.
  const isCut = line.endsWith('…');
  if (written !== '' && (isCut || texts.has(value) || looksSecret(name === 'key' ? '' : name, value)))
    return `${head}${quote}${name}${quote}${is}${HIDDEN}${tail}`;
  const without = pairs.reduce((rest, pair) => rest.replace(pair, `$1${HIDDEN}`), line);
  return isCut ? `${without.slice(0, 1)} (a long line)` : scrub(without, texts);
}

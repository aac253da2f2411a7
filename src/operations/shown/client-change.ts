/** A change of a client's file as a person may see it: a diff without the values that are nobody's business. */
import type { ChangedServer, ClientFileChange } from '../../clients/clients.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { changesWhatRuns } from '../secrets/program-text.ts';
import { HIDDEN, looksSecret, scrub, secretsIn } from '../secrets/secret-values.ts';
import { toEntryLine } from './describe-entry.ts';
import { toDiffLines } from './diff-lines.ts';
import { toName } from './quote.ts';

/** `"name": "value"`, `name = "value"` and `name: value`, with what stands before and behind. */
const PAIR = /^([+\- ]\s*(?:-\s+)?)(["']?)([\w.$-]{1,80})\2(\s*[:=]\s*)(.+?)(,?\s*)$/;
const REFERENCE = /^\$\{[^{}]*\}$/;
/** No secret is as short of choices. */
const CONSTANT = /^(true|false|null)$/;
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

/** Which file is written, and which servers come and go with all they run; the diff is told beside it. */
export function toChangeDetails(change: ClientFileChange): readonly string[] {
  return [`write ${change.path}`, ...toServerLines(change)];
}

/** Each server that comes, goes or changes, with its whole command line or address. */
function toServerLines({ servers }: ClientFileChange): readonly string[] {
  const [before, after] = [toReaches(servers(), 'before'), toReaches(servers(), 'after')];
  const gone = [...before].filter(([name]) => !after.has(name));
  const come = [...after].filter(([name]) => !before.has(name));
  const other = [...after].filter(([name, reach]) => before.has(name) && before.get(name) !== reach);
  return [
    ...gone.map(([name, reach]) => `takes out ${toName(name)}: ${reach}`),
    ...come.map(([name, reach]) => `puts in ${toName(name)}: ${reach}`),
    ...other.map(([name, reach]) => `changes ${toName(name)} to: ${reach}`),
  ];
}

function toReaches(
  servers: readonly ChangedServer[],
  when: ChangedServer['when'],
): ReadonlyMap<string, string> {
  const those = servers.filter((server) => server.when === when);
  // Their variables are the client's business, and stand in the diff.
  return new Map(
    those.map(({ name, entry: { env: _env, headers: _headers, ...rest } }) => [name, toEntryLine(rest)]),
  );
}

/** The diff of a change, line by line. */
export function toShownDiff({ path, before, after, servers }: ClientFileChange): readonly string[] {
  const hidden = toHidden(servers().map(({ entry }) => entry));
  const shown = toDiffLines(path, before, after ?? '', { hide: (line) => hideLine(line, hidden) });
  return after === undefined ? [...shown, `(${path} is removed: it was not there before)`] : shown;
}

/** Every value of a variable or a header, and what else of an entry is secret; also as files write them. */
function toHidden(entries: readonly JsonObject[]): Hidden {
  const pairs = entries.flatMap((entry) => HOLDERS.flatMap((key) => toPairs(entry[key])));
  const held = pairs.filter(([name]) => !changesWhatRuns(name));
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
  // References are what a person wants to see, and so is what changes what is run.
  if (REFERENCE.test(value) || changesWhatRuns(name)) return line;
  if (CONSTANT.test(written)) return line;
  // Of what holds members each is looked at by itself.
  // In YAML a text of digits may stand without quotes.
  const isNumber = /^-?\d+(\.\d+)?$/.test(written) && (quote !== '' || is?.includes('=') === true);
  const isWhole = written !== '' && !/^[{[]/.test(value);
  if (isWhole && (texts.has(value) || (!isNumber && looksSecret(name === 'key' ? '' : name, value))))
    return `${head}${quote}${name}${quote}${is}${HIDDEN}${tail}`;
  const without = pairs.reduce((rest, pair) => rest.replace(pair, `$1${HIDDEN}`), line);
  return scrub(without, texts);
}

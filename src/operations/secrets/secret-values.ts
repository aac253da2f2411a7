/** What of a server entry is secret, the one judgement of it: hidden wherever it is shown, sealed wherever it is kept. */
import { hasReference } from '../../config/references.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { type Secrets, toSecretReference } from '../../store/secrets.ts';
import { changesWhatRuns, findProgramText, isUsedAsProgram } from './program-text.ts';
import {
  isPair,
  isSecretInParts,
  looksLikeToken,
  looksSecret,
  PAIR,
  SCHEME,
  secretMembersIn,
  USER_INFO,
} from './secret-marks.ts';

export { looksSecret } from './secret-marks.ts';

/** What stands where a secret would. */
export const HIDDEN = '(hidden)';

/** `password: …` in what a program says. */
const NAMED = /((?:token|secret|password|passwd|api[_-]?key|credential)["']?\s*[:=]\s*["']?)[^\s"'()]{4,}/gi;
/** Shorter ones would be found in words that have nothing to do with them. */
const MIN_KNOWN = 4;
const MIN_LINE = 12;
const REFERENCE = /(\$\{[^{}]*\})/;

/** An entry as it may be shown: what its variables and headers hold is left out, and known secrets; references stay. */
export function hideSecrets(entry: JsonObject, known: Iterable<string> = []): JsonObject {
  const isSecret = (_name: string, value: string) => value.trim() !== '';
  return mapSecrets(entry, { replace: () => HIDDEN, isSecret, known: [...known], all: true, deep: true });
}

/** What hides an entry from whom it is shown to before they agree. */
export interface Hiding {
  /** Values that are secret whatever they look like. */
  readonly known?: Iterable<string> | undefined;
  /** Values that everybody knows, whatever they look like. */
  readonly open?: Iterable<string> | undefined;
  /** What stands where a secret would. */
  readonly mark?: string;
}

/** An entry as a plan shows it: all that decides what runs is there, and only what is secret by itself is left out. */
export function hideForPlan(
  entry: JsonObject,
  { known = [], open = [], mark = HIDDEN }: Hiding = {},
): JsonObject {
  const { command, args } = entry;
  const list: readonly unknown[] = Array.isArray(args) ? args : [];
  const program = typeof command === 'string' ? command : undefined;
  const isSecret = (name: string, value: string) =>
    looksSecret(name, value) && !isUsedAsProgram(name, value, program, list);
  return mapSecrets(entry, { replace: () => mark, isSecret, known: [...known], open: new Set(open) });
}

/** An entry with its secrets saved and referred to, and the names that were not there before. */
export async function sealSecrets(
  owner: string,
  entry: JsonObject,
  secrets: Secrets,
  /** Values that are secret whatever they look like. */
  known: Iterable<string> = [],
  /** Values that everybody knows, whatever they look like. */
  open: Iterable<string> = [],
): Promise<{ readonly entry: JsonObject; readonly saved: readonly string[] }> {
  const kept = new Map(await secrets.all());
  // Those our key does not open are taken all the same.
  const taken = new Set(await secrets.names());
  const saved: string[] = [];
  const sealed = mapSecrets(entry, {
    known: [...known],
    open: new Set(open),
    isSecret: looksSecret,
    replace(label, value) {
      const name = toFreeName(`${owner}.${label}`, (tried) => taken.has(tried) && kept.get(tried) !== value);
      if (!taken.has(name)) saved.push(name);
      taken.add(name);
      kept.set(name, value);
      return toSecretReference(name);
    },
  });
  for (const name of saved) await secrets.save(name, kept.get(name) ?? '');
  return { entry: sealed, saved };
}

/** Saves each secret of a server entry under a readable name and returns the entry with references. */
export async function keepSecrets(owner: string, entry: JsonObject, secrets: Secrets): Promise<JsonObject> {
  return (await sealSecrets(owner, entry, secrets)).entry;
}

/** Every secret text that stands in an entry as it is, such as one whose references were resolved. */
export function secretsIn(entry: JsonObject): readonly string[] {
  const found: string[] = [];
  const note = (_label: string, value: string) => {
    found.push(value);
    return HIDDEN;
  };
  mapSecrets(entry, { replace: note, isSecret: looksSecret, known: [], deep: true });
  return found;
}

/** The names of the kept values an entry refers to. */
export function secretNamesIn(value: JsonValue | undefined): readonly string[] {
  const text = JSON.stringify(value ?? null);
  return [...new Set([...text.matchAll(/\$\{secret:([A-Za-z_][\w.-]*)\}/g)].map((match) => match[1] ?? ''))];
}

/** A text of somebody else's with the given values, and all that looks like a token, left out. */
export function scrub(text: string, values: Iterable<string>): string {
  const known = [...new Set([...values].flatMap(toForms))].sort((a, b) => b.length - a.length);
  const without = known.reduce((rest, value) => rest.replaceAll(value, HIDDEN), text);
  return without
    .replace(/\b(bearer|basic)\s+[^\s"']{4,}/gi, `$1 ${HIDDEN}`)
    .replace(NAMED, (_whole, head: string) => `${head}${HIDDEN}`)
    .replace(/[^\s"'`<>]{6,}/g, (word) => mapArg('', word, HIDING));
}

/** What a program may make of a value when it writes it down: itself, or the parts that are secret by themselves. */
function toForms(value: string): readonly string[] {
  const lines = value.split(/\r?\n/).filter((line) => line.length >= MIN_LINE && !line.startsWith('-----'));
  const pairs = [...value.matchAll(PAIR)].map((match) => match[2] ?? '');
  const user = USER_INFO.exec(value)?.[2] ?? '';
  const members = secretMembersIn(value);
  return [value, ...lines, ...pairs, ...members, user, user.slice(user.indexOf(':') + 1)].filter(
    (form) => form.length >= MIN_KNOWN,
  );
}

const HIDING: SecretMapping = { replace: () => HIDDEN, isSecret: looksSecret, known: [] };

interface SecretMapping {
  /** What takes the place of a secret; the label says in one word where it stood. */
  replace(label: string, value: string): string;
  /** Judges the values of variables and headers. */
  isSecret(name: string, value: string): boolean;
  /** Values that are secret wherever they stand. */
  readonly known: readonly string[];
  /** Values that are none. */
  readonly open?: ReadonlySet<string>;
  /** True when variables and headers hold nothing that is shown. */
  readonly all?: boolean;
  /** True where nobody agrees to what is run, so that what decides it is looked through like the rest. */
  readonly deep?: boolean;
}

/** Walks through all of an entry that may hold secrets. */
function mapSecrets(entry: JsonObject, mapping: SecretMapping): JsonObject {
  const judged: SecretMapping = { ...mapping, isSecret: looksSecret, all: false };
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => {
      // What is started, and where, has to be seen by whoever agrees to it.
      if ((key === 'command' || key === 'cwd') && mapping.deep !== true) return [key, value];
      if (key === 'env' && isJsonObject(value)) return [key, mapVariables(value, mapping)];
      if (key === 'headers' && isJsonObject(value)) return [key, mapMembers(value, mapping)];
      if (key === 'args' && Array.isArray(value))
        return [key, mapArgs(value as readonly JsonValue[], entry['command'], judged)];
      if (isJsonObject(value)) return [key, mapMembers(value, judged)];
      return [key, typeof value === 'string' ? mapText(key, value, judged) : value];
    }),
  );
}

function mapVariables(env: JsonObject, mapping: SecretMapping): JsonObject {
  const isShown = (name: string) => mapping.deep !== true && changesWhatRuns(name);
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => {
      if (typeof value !== 'string') return [name, value];
      if (!isShown(name)) return [name, mapText(name, value, mapping)];
      return [name, hasReference(value) ? value : mapLogin(name, value, mapping.replace)];
    }),
  );
}

function mapMembers(members: JsonObject, mapping: SecretMapping): JsonObject {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => {
      if (isJsonObject(value)) return [name, mapMembers(value, mapping)];
      return [name, typeof value === 'string' ? mapText(name, value, mapping) : value];
    }),
  );
}

/** `--token x`, `--token=x`, `-e TOKEN=x`, `Authorization: x` and tokens that stand alone. */
function mapArgs(
  args: readonly JsonValue[],
  command: JsonValue | undefined,
  mapping: SecretMapping,
): readonly JsonValue[] {
  const program = findProgramText(typeof command === 'string' ? command : undefined, args);
  return args.map((arg, at) => {
    if (typeof arg !== 'string') return arg;
    if (program.has(at)) return mapping.deep === true ? mapWords(arg, mapping) : mapKnown(arg, mapping);
    const before = args[at - 1];
    const flag = typeof before === 'string' ? /^--?([\w.-]+)$/.exec(before)?.[1] : undefined;
    return mapArg(flag ?? '', arg, mapping);
  });
}

function mapArg(flag: string, arg: string, mapping: SecretMapping): string {
  const [, head, name, value] = /^((?:--?)?([\w.-]+)\s*[=:]\s*)(\S[\s\S]*)$/.exec(arg) ?? [];
  if (head === undefined || name === undefined || value === undefined || value.startsWith('//'))
    return arg.startsWith('-') ? arg : mapText(flag, arg, mapping);
  return `${head}${mapping.isSecret(name, value) ? mapText(name, value, mapping) : mapArg(name, value, mapping)}`;
}

/** Leaves references as they are and replaces the secrets between them. */
function mapText(name: string, text: string, mapping: SecretMapping): string {
  if (!hasReference(text)) return mapLiteral(name, text, mapping);
  return text
    .split(REFERENCE)
    .map((part) => {
      if (!REFERENCE.test(part))
        return SCHEME.test(`${part.trim()} x`) ? part : mapLiteral(name, part, mapping);
      const fallback = /:-(.*)\}$/s.exec(part)?.[1];
      return fallback !== undefined && mapping.isSecret(name, fallback)
        ? mapping.replace(toLabel(name), fallback)
        : part;
    })
    .join('');
}

/** Word by word, as in a text that somebody says. */
function mapWords(text: string, mapping: SecretMapping): string {
  return text.replace(/[^\s"'`;|&<>()]+/g, (word) => mapArg('', word, mapping));
}

/** Of a program only the words somebody was asked for may be left out, and only those that are no program. */
function mapKnown(text: string, { replace, known }: SecretMapping): string {
  const plain = known.filter((value) => value.length >= MIN_KNOWN && /^[\w+=.:@-]+$/.test(value));
  return plain.reduce((rest, value) => rest.replaceAll(value, () => replace('value', value)), text);
}

function mapPairs(text: string, replace: SecretMapping['replace']): string {
  return text.replace(PAIR, (whole, key: string, value: string) =>
    isPair(key, value) ? `${key}=${replace(toLabel(key), value)}` : whole,
  );
}

function mapLiteral(name: string, text: string, mapping: SecretMapping): string {
  const { replace, isSecret, known, open, all } = mapping;
  if (open?.has(text)) return text;
  const held = known.find((value) => text === value || (value.length >= MIN_KNOWN && text.includes(value)));
  if (held) return text.replaceAll(held, () => replace(toLabel(name), held));
  const inUrl = mapUrl(name, text, replace);
  if (inUrl !== undefined && inUrl !== text) return inUrl;
  if (!isSecret(name, text)) return text;
  if (all !== true && isSecretInParts(name, text)) return mapPairs(text, replace);
  const scheme = SCHEME.exec(text)?.[0] ?? '';
  return `${scheme}${replace(toLabel(name), text.slice(scheme.length))}`;
}

/** A URL with the secrets in it replaced: who logs in, what is asked with, and long parts of its path. */
function mapUrl(name: string, text: string, replace: SecretMapping['replace']): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return undefined;
  const label = toLabel(name || 'url');
  return mapLogin(label, text, replace)
    .replace(PAIR, (whole, key: string, value: string) =>
      looksSecret(key, value) ? `${key}=${replace(toLabel(key), value)}` : whole,
    )
    .replace(/(?<=[^/]\/)[^/?#&=\s$@]{16,}(?=[/?#]|$)/g, (part) =>
      looksLikeToken(part) ? replace(label, part) : part,
    );
}

/** Who logs in at an address, such as that of a registry of packages. */
function mapLogin(name: string, text: string, replace: SecretMapping['replace']): string {
  return text.replace(
    USER_INFO,
    (_whole, scheme: string, user: string) => `${scheme}${replace(toLabel(name), user)}@`,
  );
}

function toLabel(name: string): string {
  return name.replace(/[^A-Za-z0-9_]+/g, '_').replace(/^_+|_+$/g, '') || 'value';
}

function toFreeName(wish: string, isTaken: (name: string) => boolean): string {
  const shaped = wish
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/^[^A-Za-z_]/, '_$&')
    .slice(0, 90);
  for (let number = 1; ; number++) {
    const name = number === 1 ? shaped : `${shaped}-${number}`;
    if (!isTaken(name)) return name;
  }
}

/** What of a server entry is secret, the one judgement of it: hidden wherever it is shown, sealed wherever it is kept. */
import { hasReference } from '../config/references.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { type Secrets, toSecretReference } from '../store/secrets.ts';

/** What stands where a secret would. */
export const HIDDEN = '(hidden)';

/** Words in a name that mark its value as secret. */
const SECRET_WORDS: ReadonlySet<string> = new Set([
  ...['key', 'keys', 'apikey', 'token', 'tokens', 'secret', 'secrets', 'password', 'passwords', 'passwd'],
  ...['passphrase', 'pass', 'pwd', 'credential', 'credentials', 'auth', 'authorization', 'authentication'],
  ...['cookie', 'cookies', 'bearer', 'jwt', 'pat', 'dsn', 'webhook', 'signature', 'private', 'otp', 'pin'],
]);
/** The same in names that are written without breaks. */
const SECRET_ENDS = /(token|secret|password|passwd|passphrase|apikey|accesskey|privatekey|credentials?)$/;

/** How tokens of well-known services begin. */
const TOKEN_STARTS =
  /^(sk|rk|pk)[-_][\w-]{8,}|^gh[opsur]_\w{10,}|^github_pat_|^glpat-|^xox[a-z]-|^xapp-|^A(KIA|SIA)[A-Z0-9]{12,}|^AIza[\w-]{20,}|^ya29\.|^eyJ[\w-]+\.[\w-]+|^npm_\w{10,}|^pypi-\w{10,}|^hf_\w{10,}|^whsec_|^SG\.[\w-]{10,}|^shp(at|ss|ca)_|^do[op]_v1_|^lin_api_|^ntn_|^figd_|^dckr_pat_|^nvapi-|^tvly-|^pplx-|^gsk_|^AGE-SECRET-KEY-|-----BEGIN [A-Z ]*PRIVATE KEY/;
const SCHEME = /^(bearer|basic|token|apikey|digest)\s+(?=\S)/i;
const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)([^/@\s]+)@/i;
/** `password=…` inside a longer text, such as a connection string or a query. */
const PAIR = /(?<=^|[\s;&?,])([\w.-]{2,40})=([^\s;&,]+)/g;
/** `password: …` in what a program says. */
const NAMED = /((?:token|secret|password|passwd|api[_-]?key|credential)["']?\s*[:=]\s*["']?)[^\s"'()]{4,}/gi;
/** Shorter ones would be found in words that have nothing to do with them. */
const MIN_KNOWN = 4;
const MIN_LINE = 12;
const REFERENCE = /(\$\{[^{}]*\})/;

/** True when a value must not be seen, by what it is called or by what it looks like; references are no secrets. */
export function looksSecret(name: string, value: string): boolean {
  const text = value.trim();
  if (text === '' || isOnlyReferences(text) || /^(true|false|yes|no|on|off|none|null)$/i.test(text))
    return false;
  if (isSecretName(name)) return !isHarmless(name, text);
  return looksLikeToken(text);
}

/** An entry as it may be shown: what its variables and headers hold is left out, and known secrets; references stay. */
export function hideSecrets(entry: JsonObject, known: Iterable<string> = []): JsonObject {
  const isSecret = (_name: string, value: string) => value.trim() !== '';
  return mapSecrets(entry, { replace: () => HIDDEN, isSecret, known: [...known] });
}

/** An entry with its secrets saved and referred to, and the names that were not there before. */
export async function sealSecrets(
  owner: string,
  entry: JsonObject,
  secrets: Secrets,
  /** Values that are secret whatever they look like. */
  known: Iterable<string> = [],
): Promise<{ readonly entry: JsonObject; readonly saved: readonly string[] }> {
  const kept = new Map(await secrets.all());
  // Those our key does not open are taken all the same.
  const taken = new Set(await secrets.names());
  const saved: string[] = [];
  const sealed = mapSecrets(entry, {
    known: [...known],
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
  mapSecrets(entry, { replace: note, isSecret: looksSecret, known: [] });
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
  return [value, ...lines, ...pairs, user, user.slice(user.indexOf(':') + 1)].filter(
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
}

/** Walks through all of an entry that may hold secrets. */
function mapSecrets(entry: JsonObject, mapping: SecretMapping): JsonObject {
  const judged: SecretMapping = { ...mapping, isSecret: looksSecret };
  return Object.fromEntries(
    Object.entries(entry).map(([key, value]) => {
      if ((key === 'env' || key === 'headers') && isJsonObject(value))
        return [key, mapMembers(value, mapping)];
      if (key === 'args' && Array.isArray(value))
        return [key, mapArgs(value as readonly JsonValue[], judged)];
      if (isJsonObject(value)) return [key, mapMembers(value, judged)];
      return [key, typeof value === 'string' ? mapText(key, value, judged) : value];
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
function mapArgs(args: readonly JsonValue[], mapping: SecretMapping): readonly JsonValue[] {
  return args.map((arg, at) => {
    if (typeof arg !== 'string') return arg;
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

function mapLiteral(name: string, text: string, { replace, isSecret, known }: SecretMapping): string {
  const held = known.find((value) => text === value || (value.length >= MIN_KNOWN && text.includes(value)));
  if (held) return text.replaceAll(held, () => replace(toLabel(name), held));
  const inUrl = mapUrl(name, text, replace);
  if (inUrl !== undefined && inUrl !== text) return inUrl;
  if (!isSecret(name, text)) return text;
  const scheme = SCHEME.exec(text)?.[0] ?? '';
  return `${scheme}${replace(toLabel(name), text.slice(scheme.length))}`;
}

/** A URL with the secrets in it replaced: who logs in, what is asked with, and long parts of its path. */
function mapUrl(name: string, text: string, replace: SecretMapping['replace']): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return undefined;
  const label = toLabel(name || 'url');
  return text
    .replace(USER_INFO, (_whole, scheme: string, user: string) => `${scheme}${replace(label, user)}@`)
    .replace(PAIR, (whole, key: string, value: string) =>
      looksSecret(key, value) ? `${key}=${replace(toLabel(key), value)}` : whole,
    )
    .replace(/(?<=[^/]\/)[^/?#&=\s$@]{16,}(?=[/?#]|$)/g, (part) =>
      looksLikeToken(part) ? replace(label, part) : part,
    );
}

function looksLikeToken(text: string): boolean {
  if (SCHEME.test(text) || TOKEN_STARTS.test(text)) return true;
  if (USER_INFO.test(text)) return true;
  for (const [, key = '', value = ''] of text.matchAll(PAIR))
    if (isSecretName(key) && !isHarmless(key, value) && !isOnlyReferences(value)) return true;
  return /^[0-9a-f]{32,}$/i.test(text) || isRandom(text);
}

/** Long, without breaks, and of letters of both cases and digits well mixed. */
function isRandom(text: string): boolean {
  if (!/^[A-Za-z0-9+/_=-]{24,}$/.test(text) || text.startsWith('/')) return false;
  if (!/[a-z]/.test(text) || !/[A-Z]/.test(text)) return false;
  const changes = text.match(/[A-Za-z][0-9]|[0-9][A-Za-z]|[a-z][A-Z]/g)?.length ?? 0;
  return /[0-9]/.test(text) && changes >= 4;
}

function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word) => SECRET_WORDS.has(word) || SECRET_ENDS.test(word));
}

/** Where something is, or how many there may be, is no secret even under a name that sounds so. */
function isHarmless(name: string, value: string): boolean {
  if (/(^|_|-)(max|limit|budget|count|tokens)(_|-|$)/i.test(name) && /^\d{1,9}$/.test(value)) return true;
  if (!/(path|file|dir|url|uri|endpoint|host|type|method|mode)$/i.test(name)) return false;
  if (looksLikeToken(value)) return false;
  return (
    /^(\/|~|\.{1,2}\/|[A-Za-z]:\\)/.test(value) || /^[a-z][a-z0-9_-]{0,30}$/.test(value) || isPlainUrl(value)
  );
}

function isPlainUrl(value: string): boolean {
  return (
    /^https?:\/\/[^@?#\s]+$/.test(value) &&
    !value
      .split('/')
      .slice(3)
      .some((part) => part.length > 15)
  );
}

function isOnlyReferences(text: string): boolean {
  return hasReference(text) && text.replace(/\$\{[^{}]*\}/g, '').trim() === '' && !text.includes(':-');
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

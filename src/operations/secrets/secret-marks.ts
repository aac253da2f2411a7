/** What a secret looks like: by what it is called, how it begins, or how it is mixed. */
import { hasReference } from '../../config/references.ts';
import { membersIn } from './json-members.ts';

/** Words in a name that mark its value as secret. */
const SECRET_WORDS: ReadonlySet<string> = new Set([
  ...['key', 'keys', 'apikey', 'token', 'tokens', 'secret', 'secrets', 'password', 'passwords', 'passwd'],
  ...[
    'passphrase',
    'passcode',
    'pass',
    'pwd',
    'pw',
    'mnemonic',
    'credential',
    'credentials',
    'auth',
    'authorization',
    'authentication',
  ],
  ...['cookie', 'cookies', 'bearer', 'jwt', 'pat', 'dsn', 'webhook', 'signature', 'private', 'otp', 'pin'],
]);
/** The same in names that are written without breaks. */
const SECRET_ENDS = /(token|secret|password|passwd|passphrase|apikey|accesskey|privatekey|credentials?)$/;

/** How tokens of well-known services begin. */
const TOKEN_STARTS =
  /^(sk|rk|pk)[-_][\w-]{8,}|^gh[opsur]_\w{10,}|^github_pat_|^glpat-|^xox[a-z]-|^xapp-|^A(KIA|SIA)[A-Z0-9]{12,}|^AIza[\w-]{20,}|^ya29\.|^eyJ[\w-]+\.[\w-]+|^npm_\w{10,}|^pypi-\w{10,}|^hf_\w{10,}|^whsec_|^SG\.[\w-]{10,}|^shp(at|ss|ca)_|^do[op]_v1_|^lin_api_|^ntn_|^figd_|^dckr_pat_|^nvapi-|^tvly-|^pplx-|^gsk_|^AGE-SECRET-KEY-/;
const PRIVATE_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY/;
/** How a value in a header begins. */
export const SCHEME = /^(bearer|basic|token|apikey|digest)\s+(?=\S)/i;
/** Who logs in at an address. */
export const USER_INFO = /^([a-z][a-z0-9+.-]*:\/\/)([^/@\s]+)@/i;
/** `password=…` inside a longer text, such as a connection string or a query. */
export const PAIR = /(?<=^|[\s;&?,])([\w.-]{2,40})=([^\s;&,]+)/g;

/** True when a value must not be seen, by what it is called or by what it looks like; references are no secrets. */
export function looksSecret(name: string, value: string): boolean {
  const text = value.trim();
  if (text === '' || isOnlyReferences(text) || /^(true|false|yes|no|on|off|none|null)$/i.test(text))
    return false;
  if (isSecretName(name)) return !isHarmless(name, text);
  return looksLikeToken(text);
}

/** True when a text is secret whatever it is called. */
export function looksLikeToken(text: string): boolean {
  return (
    isWholeToken(text) || [...text.matchAll(PAIR)].some(([, key = '', value = '']) => isPair(key, value))
  );
}

/** True when only parts of a text are secret, each behind its name. */
export function isSecretInParts(name: string, text: string): boolean {
  return !isSecretName(name) && !isWholeToken(text.trim()) && looksLikeToken(text.trim());
}

/** True when a name within a text marks what stands behind it. */
export function isPair(key: string, value: string): boolean {
  return isSecretName(key) && !isHarmless(key, value) && !isOnlyReferences(value);
}

function isWholeToken(text: string): boolean {
  if (SCHEME.test(text) || USER_INFO.test(text) || PRIVATE_KEY.test(text)) return true;
  if (TOKEN_STARTS.test(text) && !/\s/.test(text)) return true;
  return secretMembersIn(text).length > 0 || /^[0-9a-f]{32,}$/i.test(text) || isRandom(text);
}

/** What is secret by itself inside a text that is JSON. */
export function secretMembersIn(text: string): readonly string[] {
  return membersIn(text).flatMap(([name, value]) => (looksSecret(name, value) ? [value] : []));
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

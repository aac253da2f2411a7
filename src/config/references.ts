/** References to values kept elsewhere, such as `${env:TOKEN}`, resolved at the last moment and never logged. */
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';

/** Options with every reference resolved, or the names of all that could not be. */
type Resolution =
  | {
      readonly ok: true;
      readonly options: JsonObject;
      /** What the references stood for, each once; a default that is written down is none of it. */
      readonly values: readonly string[];
    }
  | { readonly ok: false; readonly missing: readonly string[] };

/** Resolves the references in every text of some options. */
export type Resolver = (options: JsonObject) => Resolution;

/** A variable's name, with what holds when it is not set or empty: `X`, `env:X`, `X:-default`. */
const VARIABLE = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-(.*))?$/s;

/** True when a text holds something that looks like a reference, so that its final form is not known yet. */
export function hasReference(text: string): boolean {
  return /\$\{[^{}]*\}/.test(text);
}

/** Values kept sealed, by name, as of now. */
export type SecretValues = () => ReadonlyMap<string, string>;

const NO_SECRETS: SecretValues = () => new Map();

/** A kept value: `secret:NAME`. */
const SECRET = /^secret:([A-Za-z_][A-Za-z0-9_.-]*)$/;

/** Makes a resolver for `${env:X}`, `${X}`, both with `:-default`, and `${secret:X}`. */
export function createResolver(
  env: Readonly<Record<string, string | undefined>>,
  secrets: SecretValues = NO_SECRETS,
): Resolver {
  return (options) => {
    const found: Found = { missing: new Set(), values: new Set() };
    const values = { env, secrets: secrets() };
    const resolved = mapTexts(options, (text) => resolveText(text, values, found)) as JsonObject;
    if (found.missing.size > 0) return { ok: false, missing: [...found.missing].sort() };
    return { ok: true, options: resolved, values: [...found.values] };
  };
}

/** The names of the variables some options refer to. */
export function toReferences(options: JsonObject): readonly string[] {
  const found: Found = { missing: new Set(), values: new Set() };
  mapTexts(options, (text) => resolveText(text, NO_VALUES, found));
  return [...found.missing];
}

/** True when some options refer to kept values, so that the store has to be asked for them. */
export function refersToSecrets(options: JsonObject): boolean {
  return toReferences(options).some((name) => SECRET.test(name));
}

interface Values {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly secrets: ReadonlyMap<string, string>;
}

const NO_VALUES: Values = { env: {}, secrets: new Map() };

/** What came up while texts were resolved. */
interface Found {
  readonly missing: Set<string>;
  readonly values: Set<string>;
}

function resolveText(text: string, { env, secrets }: Values, { missing, values }: Found): string {
  return text.replace(/\$\{([^{}]*)\}/g, (whole, inner: string) => {
    const secret = SECRET.exec(inner)?.[1];
    if (secret !== undefined) {
      const value = secrets.get(secret);
      if (value === undefined) missing.add(inner);
      else values.add(value);
      return value ?? '';
    }
    const [, name, fallback] = VARIABLE.exec(inner) ?? [];
    if (name === undefined) {
      // Another kind of reference must not reach a server as it is; any other text may be meant so.
      if (/^[a-z]+:[^:]/.test(inner)) missing.add(inner);
      return whole;
    }
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value) values.add(value);
    if (value === undefined && fallback === undefined) missing.add(name);
    return (fallback !== undefined ? value || fallback : value) ?? '';
  });
}

function mapTexts(value: JsonValue | undefined, map: (text: string) => string): JsonValue | undefined {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((item: JsonValue) => mapTexts(item, map) ?? null);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapTexts(member, map)]));
}

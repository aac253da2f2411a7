/** Puts something else in the place of what is secret in one text; references and all around it stay. */
import { hasReference } from '../../config/references.ts';
import {
  isPair,
  isSecretInParts,
  looksLikeToken,
  looksSecret,
  PAIR,
  SCHEME,
  USER_INFO,
} from './secret-marks.ts';

/** What counts as secret in a text, and what takes its place. */
export interface TextRule {
  /** What takes the place of a secret; the label says in one word where it stood. */
  replace(label: string, value: string): string;
  /** Judges a value by what it is called and what it looks like. */
  isSecret(name: string, value: string): boolean;
  /** Values that are secret wherever they stand. */
  readonly known: readonly string[];
  /** Values that are none. */
  readonly open?: ReadonlySet<string>;
  /** True when a text with a secret in it is secret as a whole. */
  readonly isWhole?: boolean;
}

/** Shorter ones would be found in words that have nothing to do with them. */
export const MIN_KNOWN = 4;
/** No pair is named by more pairs around it. */
const MAX_DEPTH = 50;
const REFERENCE = /(\$\{[^{}]*\})/;

/** `--token=x`, `-e TOKEN=x`, `Authorization: x` and tokens that stand alone; the flag is what stands before it. */
export function mapArg(flag: string, arg: string, rule: TextRule, depth = 0): string {
  if (depth > MAX_DEPTH) return mapText(flag, arg, rule);
  const [, head, name, value] = /^((?:-H|--?)?([\w.-]+)\s*[=:]\s*)(\S[\s\S]*)$/.exec(arg) ?? [];
  if (head === undefined || name === undefined || value === undefined || value.startsWith('//'))
    return arg.startsWith('-') ? arg : mapText(flag, arg, rule);
  const inner = `${head}${rule.isSecret(name, value) ? mapText(name, value, rule) : mapArg(name, value, rule, depth + 1)}`;
  const isNamed = inner === arg && !arg.startsWith('-') && !hasReference(arg) && isPair(flag, arg);
  // What is named by the flag may look like a pair itself: `--token 1234:abc`.
  return isNamed ? mapText(flag, arg, rule) : inner;
}

/** Leaves references as they are and replaces the secrets between them. */
export function mapText(name: string, text: string, rule: TextRule): string {
  if (!hasReference(text)) return mapLiteral(name, text, rule);
  return text
    .split(REFERENCE)
    .map((part) => {
      if (!REFERENCE.test(part)) return SCHEME.test(`${part.trim()} x`) ? part : mapLiteral(name, part, rule);
      const fallback = /:-(.*)\}$/s.exec(part)?.[1];
      return fallback !== undefined && rule.isSecret(name, fallback)
        ? rule.replace(toLabel(name), fallback)
        : part;
    })
    .join('');
}

/** Word by word, as in a text that somebody says. */
export function mapWords(text: string, rule: TextRule): string {
  return text.replace(/[^\s"'`;|&<>()]+/g, (word) => mapArg('', word, rule));
}

/** Of a program only the words somebody was asked for may be left out, and only those that are no program. */
export function mapKnown(text: string, { replace, known }: TextRule): string {
  const plain = known.filter((value) => value.length >= MIN_KNOWN && /^[\w+=.:@-]+$/.test(value));
  return plain.reduce((rest, value) => rest.replaceAll(value, () => replace('value', value)), text);
}

function mapPairs(text: string, replace: TextRule['replace']): string {
  return text.replace(PAIR, (whole, key: string, value: string) =>
    isPair(key, value) ? `${key}=${replace(toLabel(key), value)}` : whole,
  );
}

function mapLiteral(name: string, text: string, rule: TextRule): string {
  const { replace, isSecret, known, open, isWhole } = rule;
  if (open?.has(text)) return text;
  const held = known.find((value) => text === value || (value.length >= MIN_KNOWN && text.includes(value)));
  if (held) return text.replaceAll(held, () => replace(toLabel(name), held));
  const inUrl = mapUrl(name, text, replace);
  if (inUrl !== undefined && inUrl !== text) return inUrl;
  if (!isSecret(name, text)) return text;
  if (isWhole !== true && isSecretInParts(name, text)) return mapPairs(text, replace);
  const scheme = SCHEME.exec(text)?.[0] ?? '';
  return `${scheme}${replace(toLabel(name), text.slice(scheme.length))}`;
}

/** A URL with the secrets in it replaced: who logs in, what is asked with, and long parts of its path. */
function mapUrl(name: string, text: string, replace: TextRule['replace']): string | undefined {
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
export function mapLogin(name: string, text: string, replace: TextRule['replace']): string {
  return text.replace(
    USER_INFO,
    (_whole, scheme: string, user: string) => `${scheme}${replace(toLabel(name), user)}@`,
  );
}

function toLabel(name: string): string {
  return name.replace(/[^A-Za-z0-9_]+/g, '_').replace(/^_+|_+$/g, '') || 'value';
}

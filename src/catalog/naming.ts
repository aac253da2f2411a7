/** Public names: a function of the set of known names, never of the order they arrived in; reversed by table only. */
import { toDigest, type UpstreamId } from '../model/ids.ts';

/** A name at its upstream. */
export interface OwnName {
  readonly upstream: UpstreamId;
  readonly name: string;
}

/** A name as clients see it. */
export interface PublicName extends OwnName {
  readonly publicName: string;
  readonly renamed: boolean;
}

/** What bounds public names. */
export interface NamingRules {
  /** Names the gateway keeps for tools of its own. */
  readonly reserved: ReadonlySet<string>;
  readonly maxLength: number;
}

/** Gives every name its public form: itself when it is plainly unique, else `upstream__name`, else one with a digest. */
export function assignNames(names: readonly OwnName[], rules: NamingRules): PublicName[] {
  const looks = new Map<string, Set<UpstreamId>>();
  const literal = new Set<string>();
  for (const { upstream, name } of names) {
    const look = toLook(name);
    looks.set(look, (looks.get(look) ?? new Set()).add(upstream));
    literal.add(name);
  }
  const taken = new Set<string>();
  const isTaken = (name: string) => taken.has(name) || literal.has(name) || rules.reserved.has(name);
  // Sorted, so that the rare second try after a digest met another name does not depend on arrival.
  const sorted = [...names].sort(byTuple);
  return sorted.map((own) => {
    const { upstream, name } = own;
    const unique = looks.get(toLook(name))?.size === 1;
    if (unique && isPlain(name, rules.maxLength) && !rules.reserved.has(name))
      return { ...own, publicName: name, renamed: false };
    const qualified = `${upstream}__${name}`;
    const publicName =
      isPlain(qualified, rules.maxLength) && !isTaken(qualified)
        ? qualified
        : withDigest(own, rules.maxLength, isTaken);
    taken.add(publicName);
    return { ...own, publicName, renamed: true };
  });
}

const PLAIN = /^[A-Za-z0-9_-]+$/;

function isPlain(name: string, maxLength: number): boolean {
  return name.length <= maxLength && PLAIN.test(name);
}

function withDigest(own: OwnName, maxLength: number, isTaken: (name: string) => boolean): string {
  const text = `${own.upstream}__${own.name}`.normalize('NFKC').replace(/[^A-Za-z0-9_-]+/g, '_');
  for (let salt = 0; ; salt++) {
    // A NUL cannot be part of an id, so no two tuples have the same text here.
    const digest = toDigest(`${own.upstream}\0${own.name}\0${salt || ''}`);
    const candidate = `${text.slice(0, maxLength - digest.length - 1)}_${digest}`;
    if (!isTaken(candidate)) return candidate;
  }
}

function byTuple(a: OwnName, b: OwnName): number {
  if (a.upstream !== b.upstream) return a.upstream < b.upstream ? -1 : 1;
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}

/** Letters of other scripts that read as Latin ones. */
const LOOKALIKES: Readonly<Record<string, string>> = Object.fromEntries(
  "аaеeоoрpсcуyхxіiјjѕsԁdһhԛqԝwѵvгrкkмmтtвbнhαaοoρpνvιiκkτtυuχxɡgıiſfꞌ'"
    .match(/../gu)
    ?.map((pair) => [...pair]) ?? [],
);

/** What a name looks like to a person or a model: names that look alike count as clashing. */
export function toLook(name: string): string {
  const bare = name
    .replace(/ſ/g, 'f')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{C}\p{M}\s]/gu, '');
  return [...bare]
    .map((letter) => LOOKALIKES[letter] ?? letter)
    .join('')
    .replace(/\p{Pd}/gu, '_');
}

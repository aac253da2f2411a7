/** Public names: a function of the set of known names, never of the order they arrived in; reversed by table only. */
import { toDigest, type UpstreamId } from '../model/ids.ts';

/** A name at its upstream. */
export interface OwnName {
  readonly upstream: UpstreamId;
  readonly name: string;
}

/** Why a name is not shown as it is: another upstream has it, or one that looks like it; it is ours; it is malformed. */
export type RenameReason = 'clash' | 'lookalike' | 'reserved' | 'malformed';

/** A name as clients see it. */
export interface PublicName extends OwnName {
  readonly publicName: string;
  readonly renamed: RenameReason | undefined;
}

/** What bounds public names. */
export interface NamingRules {
  /** Names the gateway keeps for tools of its own. */
  readonly reserved: ReadonlySet<string>;
  readonly maxLength: number;
}

/** Gives every name its public form: itself when it is plainly unique, else `upstream__name`, else one with a digest. */
export function assignNames(names: readonly OwnName[], rules: NamingRules): PublicName[] {
  const owners = groupUpstreams(names, (name) => name);
  const lookOwners = groupUpstreams(names, toLook);
  const upstreams = new Set<string>(names.map(({ upstream }) => upstream));
  const taken = new Set<string>();
  const isTaken = (name: string) => taken.has(name) || owners.has(name) || rules.reserved.has(name);

  /** `files__read` from any other server would read as a tool of `files`. */
  const poses = ({ upstream, name }: OwnName) => {
    const head = name.slice(0, Math.max(0, name.indexOf('__')));
    return head !== upstream && upstreams.has(head);
  };

  function whyRenamed(own: OwnName): RenameReason | undefined {
    const { name } = own;
    if (rules.reserved.has(name)) return 'reserved';
    if ((owners.get(name)?.size ?? 0) > 1) return 'clash';
    if ((lookOwners.get(toLook(name))?.size ?? 0) > 1 || poses(own)) return 'lookalike';
    return isPlain(name, rules.maxLength) ? undefined : 'malformed';
  }

  // Sorted, so that the rare second try after a digest met another name does not depend on arrival.
  return [...names].sort(byTuple).map((own) => {
    const renamed = whyRenamed(own);
    if (renamed === undefined) return { ...own, publicName: own.name, renamed };
    const qualified = `${own.upstream}__${own.name}`;
    const fits = isPlain(qualified, rules.maxLength) && !isTaken(qualified);
    const publicName = fits ? qualified : withDigest(own, rules.maxLength, isTaken);
    taken.add(publicName);
    return { ...own, publicName, renamed };
  });
}

/** Which upstreams share each form of a name; one upstream's own names never clash with one another. */
function groupUpstreams(
  names: readonly OwnName[],
  toForm: (name: string) => string,
): Map<string, Set<UpstreamId>> {
  const groups = new Map<string, Set<UpstreamId>>();
  for (const { upstream, name } of names) {
    const form = toForm(name);
    groups.set(form, (groups.get(form) ?? new Set()).add(upstream));
  }
  return groups;
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

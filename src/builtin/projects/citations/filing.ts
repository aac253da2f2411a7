/** Puts a bibliography in order, and cuts it where no style looks from one entry to the next. */
import type { CslItem } from './csl-item.ts';
import type { Style } from './styles/style.ts';

/** One source of a bibliography, written out. */
export interface BibliographyEntry {
  readonly source_id: number;
  readonly text: string;
}

/** What is written in one go. */
export interface Batch {
  readonly items: readonly CslItem[];
  /** Entries that somebody wrote already and that belong among them. */
  readonly own: readonly BibliographyEntry[];
}

/** About 40 ms of work; more only where the works of one name are more. */
const BATCH = 25;

/** As the citation library compares: accents, case and punctuation do not count, numbers do. */
const collator = new Intl.Collator('en-US', { sensitivity: 'base', ignorePunctuation: true, numeric: true });

/** Which of two texts is filed first, word by word. */
export function compareFiled(a: string, b: string): number {
  // Blanks count for nothing here, so something has to stand for them.
  return collator.compare(a.replaceAll(' ', '|'), b.replaceAll(' ', '|'));
}

/** What an entry is filed under: the first author, else the title. */
export function toLead(item: CslItem, style?: Style): string {
  const [first] = item.author ?? [];
  if (first === undefined || 'literal' in first) return toName(item);
  // Chicago files van Gogh under Gogh.
  const family =
    style === 'chicago' ? first.family.replace(/^(?:['’]?\p{Ll}+(?:\s+|['’-]))+(?=.)/u, '') : first.family;
  return `${family}, ${first.given ?? ''}`;
}

/**
 * Everything in order, a batch at a time. Works of one family name stay together, since styles tell them apart by
 * what stands beside them: 2020a, 2020b, and a dash for an author who was just named.
 */
export function toBatches(
  items: readonly CslItem[],
  own: readonly BibliographyEntry[],
  style: Style,
): readonly Batch[] {
  const cut = cutByName(
    items
      .map((item) => ({ item, lead: toLead(item, style), name: toName(item) }))
      .sort((a, b) => compareFiled(a.lead, b.lead)),
  );
  const waiting = own.toSorted((a, b) => compareFiled(a.text, b.text));
  if (cut.length === 0) return waiting.length === 0 ? [] : [{ items: [], own: waiting }];
  return cut.map((batch, at) => {
    const next = cut[at + 1]?.[0];
    const later = next ? waiting.findIndex(({ text }) => compareFiled(text, next.name) >= 0) : -1;
    return {
      items: batch.map(({ item }) => item),
      own: waiting.splice(0, later === -1 ? waiting.length : later),
    };
  });
}

/** Puts entries that somebody wrote in their place among others. */
export function insertOwn(
  entries: readonly BibliographyEntry[],
  own: readonly BibliographyEntry[],
): readonly BibliographyEntry[] {
  const waiting = [...own];
  const all = entries.flatMap((entry) => {
    const later = waiting.findIndex(({ text }) => compareFiled(text, entry.text) >= 0);
    return [...waiting.splice(0, later === -1 ? waiting.length : later), entry];
  });
  return [...all, ...waiting];
}

interface Filed {
  readonly item: CslItem;
  readonly lead: string;
  readonly name: string;
}

function cutByName(filed: readonly Filed[]): readonly (readonly Filed[])[] {
  const lastOf = new Map(filed.map(({ name }, at) => [name, at]));
  const batches: Filed[][] = [];
  let reach = -1;
  for (const [at, one] of filed.entries()) {
    const batch = batches.at(-1);
    // Up to there comes another work of a name that is in the batch already.
    if (batch === undefined || (batch.length >= BATCH && at > reach)) batches.push([one]);
    else batch.push(one);
    reach = Math.max(reach, lastOf.get(one.name) ?? at);
  }
  return batches;
}

function toName(item: CslItem): string {
  const [first] = item.author ?? [];
  const name = first === undefined ? item.title : 'literal' in first ? first.literal : first.family;
  return name.toLowerCase();
}

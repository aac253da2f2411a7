/** The end of a post's address, made from a title in any script. */

const MAX_LENGTH = 80;

/** Latin letters that do not come apart into a plain letter and a mark. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ı: 'i',
};
const UNPLAIN = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'gu');

/** Marks on Latin letters; on letters of other scripts they are part of the letter. */
const LATIN_MARKS = /(?<=[a-z])\p{M}+/gu;
/** What words are joined by without a gap. */
const JOINERS = /['’ʼ`´]/gu;
const GAPS = /[^\p{L}\p{N}\p{M}]+/gu;
/** A word cannot begin with a mark that has no letter. */
const LOOSE_MARKS = /(?<=^|-)\p{M}+/gu;

/** Paths under the blog that are not posts. */
const TAKEN: ReadonlySet<string> = new Set(['tag', 'search']);

/** Small letters, digits and hyphens; letters of other scripts stay as they are. Empty when nothing is left. */
export function toSlug(text: string): string {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(JOINERS, '')
    .normalize('NFD')
    .replaceAll(LATIN_MARKS, '')
    .normalize('NFC')
    .replaceAll(UNPLAIN, (letter) => PLAIN[letter] ?? letter)
    .replaceAll(GAPS, '-')
    .replaceAll(LOOSE_MARKS, '');
  return trim(cut(trim(plain.replaceAll(/-{2,}/g, '-'))));
}

/** The slug, or with the first number that makes it one nobody has. */
export async function toFreeSlug(
  slug: string,
  isUsed: (candidate: string) => Promise<boolean>,
): Promise<string> {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? slug : `${slug}-${number}`;
    if (!TAKEN.has(candidate) && !(await isUsed(candidate))) return candidate;
  }
}

/** Whether the slug would be the address of something that is no post. */
export function isTakenSlug(slug: string): boolean {
  return TAKEN.has(slug);
}

/** Between two words where that keeps most of it. */
function cut(slug: string): string {
  const characters = [...slug];
  if (characters.length <= MAX_LENGTH) return slug;
  const head = characters.slice(0, MAX_LENGTH).join('');
  if (characters[MAX_LENGTH] === '-') return head;
  const gap = head.lastIndexOf('-');
  return gap > head.length / 2 ? head.slice(0, gap) : head;
}

function trim(slug: string): string {
  return slug.replaceAll(/^-+|-+$/g, '');
}

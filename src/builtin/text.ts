/** Text as it is kept and as it is shown: empty text is nothing, and a long one is cut where it may be. */

const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The text as it was written, or null when it says nothing. */
export function orNull(text: string | undefined): string | null {
  return text === undefined || text.trim() === '' ? null : text;
}

/** The beginning of a text on one line, at most so many characters; never cut inside what is seen as one. */
export function toPreview(text: string, length: number): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  if (isAtMost(line, length)) return line;
  let kept = '';
  let room = length - 1;
  for (const { segment } of SEGMENTER.segment(line)) {
    room -= [...segment].length;
    if (room < 0) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Without what is null or undefined, since an answer leaves out what is empty. */
export function toPresent<T extends object>(row: T): Present<T> {
  const kept = Object.entries(row).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(kept) as Present<T>;
}

/** What is always there stays so; what may be empty may be missing. */
export type Present<T> = { [K in keyof T as T[K] extends NonNullable<T[K]> ? K : never]: T[K] } & {
  [K in keyof T]?: NonNullable<T[K]>;
};

function isAtMost(text: string, length: number): boolean {
  // Characters are never more than the units they are made of.
  return text.length <= length || [...text].length <= length;
}

/** Cuts stored text into sentences, and sentences into what fits. */

/** A sentence ends at a mark that a small letter does not follow, so that "e.g. this" stays whole. */
const ENDS = /(?<=[.!?])\s+(?!\p{Ll})|(?<=[。！？])/u;
/** What begins a line of Markdown and means nothing without its layout. */
const LINE_MARKS = /^\s*(?:#{1,6}\s+|[-*+]\s+|\d+[.)]\s+|>\s+)+/;

/** The sentences of a text, without the marks of headings and lists. */
export function toSentences(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .flatMap((line) => line.replace(LINE_MARKS, '').split(ENDS))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

/** How much room a text takes. */
export function byteLength(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** As many whole words as fit, with an ellipsis; whole characters where there are no words. */
export function clip(text: string, bytes: number): string {
  if (byteLength(text) <= bytes) return text;
  const ellipsis = '…';
  let kept = '';
  for (const character of text) {
    if (byteLength(kept + character + ellipsis) > bytes) break;
    kept += character;
  }
  const atWord = kept.replace(/\s+\S*$/u, '');
  return kept === '' ? '' : `${atWord === '' ? kept : atWord}${ellipsis}`;
}

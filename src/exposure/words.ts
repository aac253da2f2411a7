/** Cuts what servers write about themselves to a few words on one line. */

/** What names of servers may take of a description, in characters: at most 250 tokens, digests included. */
export const NAMES_LIMIT = 500;

/** The first sentence on one line, cut at a word. */
export function firstSentence(text: string, limit: number): string {
  const line = text.replace(/[\s\p{C}]+/gu, ' ').trim();
  const end = line.search(/[.!?。](\s|$)/);
  const sentence = end === -1 ? line : line.slice(0, end + 1);
  if (sentence.length <= limit) return sentence;
  const cut = sentence.lastIndexOf(' ', limit - 1);
  return `${sentence.slice(0, cut > limit / 2 ? cut : limit - 1)}…`;
}

/** Ids in order, cut where the list gets long: always the first, so that the bytes stay. */
export function toShortList(ids: readonly string[], limit: number): string {
  const shown: string[] = [];
  let size = 0;
  for (const id of ids) {
    if (size + id.length > limit) break;
    shown.push(id);
    size += id.length + 2;
  }
  const rest = ids.length - shown.length;
  return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

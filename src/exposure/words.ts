/** Cuts what servers write about themselves to a few words on one line. */

/** What names of servers may take of a description, in characters: at most 250 tokens, digests included. */
export const NAMES_LIMIT = 500;
/** What names may take of an answer. */
export const ANSWER_NAMES_LIMIT = 1_200;
/** What lines about servers may take of an answer. */
export const ANSWER_LINES_LIMIT = 6_000;

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
export function toShortList(ids: readonly string[], limit: number, separator = ', '): string {
  const shown: string[] = [];
  let size = 0;
  for (const id of ids) {
    if (size + id.length > limit) break;
    shown.push(id);
    size += id.length + separator.length;
  }
  const rest = ids.length - shown.length;
  return `${shown.join(separator)}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** A line of a list, and the name that stands for it where there is no room for the line. */
export interface NamedLine {
  readonly name: string;
  readonly line: string;
}

/** Lines in order, cut where they get long: the rest is named, as far as names have room. */
export function toShortLines(items: readonly NamedLine[], limit: number): readonly string[] {
  const lines: string[] = [];
  let size = 0;
  for (const { line } of items) {
    if (size + line.length > limit) break;
    lines.push(line);
    size += line.length + 1;
  }
  const rest = items.slice(lines.length).map(({ name }) => name);
  return rest.length === 0 ? lines : [...lines, `and ${toShortList(rest, limit)}`];
}

/** The beginning of a text, on one line. */

/** At most so many characters, cut between characters and not inside one. */
export function toPreview(text: string, length: number): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  const characters = [...line];
  return characters.length <= length ? line : `${characters.slice(0, length - 1).join('')}…`;
}

/** Text of others made safe to show: what would move the cursor, hide or turn around what is beside it is written out. */

/** Control and format characters, private use and halves of pairs, without the newline and the tab. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A text of several lines, each of which shows all it holds. */
export function toVisible(text: string): string {
  return text.replace(UNSEEN, (mark) => (mark === '\n' || mark === '\t' ? mark : toEscape(mark)));
}

/** One line that stays one line. */
export function toVisibleLine(text: string): string {
  return text.replace(UNSEEN, (mark) => (mark === '\t' ? mark : toEscape(mark)));
}

function toEscape(mark: string): string {
  return `\\u{${(mark.codePointAt(0) ?? 0).toString(16)}}`;
}

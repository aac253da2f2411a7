/** Bytes in pieces as one text, without the bytes ever being held together. */
import { isUtf8 } from 'node:buffer';

/** UTF-8 in pieces that may end in the middle of a character; throws where it is none. Empties the list as it goes. */
export function joinText(pieces: Buffer[]): string {
  let text = '';
  let rest: Buffer | undefined;
  for (let at = 0; at < pieces.length; at++) {
    const piece = pieces[at] as Buffer;
    const bytes: Buffer = rest ? Buffer.concat([rest, piece]) : piece;
    const end = at === pieces.length - 1 ? bytes.length : toCharacterEnd(bytes);
    const whole = bytes.subarray(0, end);
    if (!isUtf8(whole)) throw new SyntaxError('the line is not UTF-8');
    text += whole.toString('utf8');
    rest = end < bytes.length ? bytes.subarray(end) : undefined;
    // Let go of, so that it need not be held until the last one is read.
    pieces[at] = NOTHING;
  }
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

const NOTHING = Buffer.alloc(0);
const BYTE_ORDER_MARK = '\uFEFF';

/** Where the last whole character ends. */
function toCharacterEnd(bytes: Buffer): number {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 4); at--) {
    const byte = bytes[at] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return at + length > bytes.length ? at : bytes.length;
  }
  return bytes.length;
}

/** Answers that carry long texts, as bytes: a text as long as the whole is never made on the way. */
import { randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { isResponse, type Message } from './message.ts';

/** Texts longer than this are taken apart; below it the whole is made sooner than its parts. */
const LONG_CHARS = 256 * 1024;
const PIECE_CHARS = 64 * 1024;

/** The JSON of an answer between two texts, as bytes; undefined for one without long texts, or one that cannot be written. */
export function toBytes(message: Message, before = '', after = ''): Buffer | undefined {
  if (!isResponse(message) || !message.result || !hasLongText(message.result)) return undefined;
  const long: string[] = [];
  const mark = randomUUID();
  const takeOut = (_key: string, value: unknown): unknown => {
    if (typeof value !== 'string' || value.length <= LONG_CHARS) return value;
    long.push(value);
    return mark;
  };
  let text: string;
  try {
    text = JSON.stringify(message, takeOut);
  } catch {
    return undefined;
  }
  const between = `${before}${text}${after}`.split(mark);
  let size = 0;
  for (const piece of walk(between, long)) size += Buffer.byteLength(piece);
  // Made twice, held once: what is only counted is gone at once.
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const piece of walk(between, long)) at += bytes.write(piece, at);
  return bytes;
}

/** All pieces in their order. */
function* walk(between: readonly string[], long: readonly string[]): Generator<string> {
  for (const [at, text] of between.entries()) {
    yield text;
    yield* cut(long[at] ?? '');
  }
}

/** Where a long text may be in a result; one that hides elsewhere is only dearer. */
function hasLongText(result: JsonObject): boolean {
  return [result['content'], result['contents']].some(
    (list) => Array.isArray(list) && list.some((part) => isLongPart(part)),
  );
}

function isLongPart(part: JsonValue): boolean {
  if (!isJsonObject(part)) return false;
  const { text, data, blob, resource } = part;
  return isLong(text) || isLong(data) || isLong(blob) || (resource !== undefined && isLongPart(resource));
}

function isLong(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && value.length > LONG_CHARS;
}

/** A text as it stands between its quotes. */
function* cut(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = toCharacterEnd(text, start + PIECE_CHARS);
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    start = end;
  }
}

/** The same place, or the one before it where it would fall into the middle of a character. */
function toCharacterEnd(text: string, at: number): number {
  const last = text.charCodeAt(at - 1);
  return last >= 0xd800 && last <= 0xdbff ? at - 1 : at;
}

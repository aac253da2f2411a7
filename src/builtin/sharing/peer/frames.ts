/** Cuts a stream of bytes into frames: four bytes of length, one of kind, and then JSON or a piece of a file. */
/** What one frame holds. */
export type Frame =
  | { readonly kind: 'words'; readonly value: unknown }
  | { readonly kind: 'bytes'; readonly id: string; readonly bytes: Buffer };

const HEAD_BYTES = 5;
const WORDS = 0;
const BYTES = 1;
const ID_BYTES = 16;

/** A frame of words. */
export function toWords(value: unknown): Buffer {
  return toFrame(WORDS, Buffer.from(JSON.stringify(value)));
}

/** A frame with a piece of the file of an item. */
export function toBytes(id: string, bytes: Uint8Array): Buffer {
  return toFrame(BYTES, Buffer.concat([Buffer.from(id, 'hex'), bytes]));
}

function toFrame(kind: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32BE(payload.length);
  head[4] = kind;
  return Buffer.concat([head, payload]);
}

/** Reads frames one after the other; ends without a word at the first that is too long or makes no sense. */
export async function* readFrames(
  stream: AsyncIterable<Uint8Array>,
  limit: () => number,
): AsyncGenerator<Frame, void, void> {
  let pieces: Buffer[] = [];
  let held = 0;
  let needed = HEAD_BYTES;
  for await (const piece of stream) {
    pieces.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    held += piece.byteLength;
    if (held < needed) continue;
    let rest = Buffer.concat(pieces);
    for (;;) {
      needed = HEAD_BYTES;
      if (rest.length < needed) break;
      const length = rest.readUInt32BE();
      if (length > limit()) return;
      needed = HEAD_BYTES + length;
      if (rest.length < needed) break;
      const frame = parseFrame(rest[4] ?? WORDS, rest.subarray(HEAD_BYTES, needed));
      rest = rest.subarray(needed);
      if (frame === undefined) return;
      yield frame;
    }
    pieces = rest.length > 0 ? [rest] : [];
    held = rest.length;
  }
}

function parseFrame(kind: number, payload: Buffer): Frame | undefined {
  if (kind === BYTES) {
    if (payload.length < ID_BYTES) return undefined;
    return { kind: 'bytes', id: payload.toString('hex', 0, ID_BYTES), bytes: payload.subarray(ID_BYTES) };
  }
  if (kind !== WORDS) return { kind: 'words', value: undefined };
  try {
    return { kind: 'words', value: JSON.parse(payload.toString('utf8')) };
  } catch {
    // Not JSON: whoever sends this speaks another language.
    return undefined;
  }
}

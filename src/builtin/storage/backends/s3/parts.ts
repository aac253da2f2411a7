/** Cuts a content into parts of equal size, in one piece of memory that is used again for every part. */

/** Bytes of one part: S3 takes no less than five megabytes, and no more than ten thousand parts. */
export const PART_SIZE = 8 * 1024 * 1024;

/** One part; its bytes are good until the next part is asked for. */
export interface Part {
  /** Counted from 1. */
  readonly number: number;
  readonly bytes: Uint8Array;
  readonly last: boolean;
}

/** Yields the parts of a content: at least one, and only the last may be short or empty. */
export async function* toParts(
  content: AsyncIterable<Uint8Array>,
  partSize: number = PART_SIZE,
): AsyncGenerator<Part> {
  let buffer = new Uint8Array(Math.min(partSize, 64 * 1024));
  let filled = 0;
  let number = 1;
  for await (const chunk of content) {
    let rest = chunk;
    while (rest.byteLength > 0) {
      // Handed on only when more is at hand, so that a full part can still be the last.
      if (filled === partSize) {
        yield { number, bytes: buffer, last: false };
        number += 1;
        filled = 0;
      }
      const taken = rest.subarray(0, partSize - filled);
      buffer = grow(buffer, filled + taken.byteLength, partSize);
      buffer.set(taken, filled);
      filled += taken.byteLength;
      rest = rest.subarray(taken.byteLength);
    }
  }
  yield { number, bytes: buffer.subarray(0, filled), last: true };
}

/** Small files should not cost a whole part of memory. */
function grow(buffer: Uint8Array<ArrayBuffer>, needed: number, partSize: number): Uint8Array<ArrayBuffer> {
  if (buffer.byteLength >= needed) return buffer;
  const larger = new Uint8Array(Math.min(partSize, Math.max(needed, buffer.byteLength * 4)));
  larger.set(buffer);
  return larger;
}

/** Counts and digests a content while it passes, and stops one that is too long. */
import { createHash } from 'node:crypto';
import { toSizeError } from '../refusals.ts';

/** A content that is measured while it is read. */
export interface Measured extends AsyncIterable<Uint8Array> {
  /** What was read; asked for once the end was reached. */
  result(): { readonly size: number; readonly sha256: string };
}

/** Measures a content and refuses its first byte past the limit. */
export function measure(content: AsyncIterable<Uint8Array>, limit: number): Measured {
  const hash = createHash('sha256');
  let size = 0;
  async function* pass(): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      size += chunk.byteLength;
      if (size > limit) throw toSizeError(limit);
      hash.update(chunk);
      yield chunk;
    }
  }
  return {
    [Symbol.asyncIterator]: pass,
    result: () => ({ size, sha256: hash.digest('hex') }),
  };
}

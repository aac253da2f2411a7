/** Meanings of words as vectors, from the table that ships with the product; read when first needed. */
import { LAYOUT, STEMS, TABLE } from '../data/word-vectors.ts';

/** Vectors of unit length by stem. */
export interface WordVectors {
  readonly size: number;
  /** Writes the vector of a stem into `target`; false when it has none. */
  read(stem: string, target: Float32Array): boolean;
  has(stem: string): boolean;
}

/** Reads the table. */
export function openWordVectors(): WordVectors {
  const { size, part, centroids, scale } = LAYOUT;
  const bytes = Buffer.from(TABLE, 'base64');
  const parts = size / part;
  const codesStart = parts * centroids * part;
  const starts = toStarts();

  function read(stem: string, target: Float32Array): boolean {
    const row = findRow(starts, stem);
    if (row < 0) return false;
    let squares = 0;
    for (let group = 0; group < parts; group++) {
      const code = bytes[codesStart + row * parts + group] ?? 0;
      for (let within = 0; within < part; within++) {
        const value = bytes.readInt8((group * centroids + code) * part + within) * scale;
        target[group * part + within] = value;
        squares += value * value;
      }
    }
    const length = Math.sqrt(squares) || 1;
    for (let at = 0; at < size; at++) target[at] = (target[at] ?? 0) / length;
    return true;
  }

  return { size, read, has: (stem) => findRow(starts, stem) >= 0 };
}

/** Where each stem begins; one text and its offsets take a tenth of the room that as many strings would. */
function toStarts(): Uint32Array {
  const starts = [0];
  for (let at = STEMS.indexOf(' '); at >= 0; at = STEMS.indexOf(' ', at + 1)) starts.push(at + 1);
  starts.push(STEMS.length + 1);
  return Uint32Array.from(starts);
}

function findRow(starts: Uint32Array, stem: string): number {
  let low = 0;
  let high = starts.length - 2;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = STEMS.slice(starts[middle], (starts[middle + 1] ?? 0) - 1);
    if (found === stem) return middle;
    if (found < stem) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

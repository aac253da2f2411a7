/** The `Range` header of a download. */
import type { ByteRange } from './backends/backend.ts';

/** What a header asks for: a part, everything, or something that is not there. */
export type AskedRange = ByteRange | 'whole' | 'impossible';

const ONE_RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/;

/** Reads the header for a content of some size; several ranges at once, or nonsense, ask for the whole. */
export function parseRange(header: string | null, size: number): AskedRange {
  const [, from = '', to = ''] = ONE_RANGE.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return 'whole';
  if (from === '') return toTail(Number(to), size);
  const start = Number(from);
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== '' && Number(to) < start) return 'whole';
  return start < size ? { start, end } : 'impossible';
}

function toTail(length: number, size: number): AskedRange {
  if (length === 0 || size === 0) return 'impossible';
  return { start: Math.max(0, size - length), end: size - 1 };
}

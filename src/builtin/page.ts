/** Lists that are shown in parts: how a part is told, and where the rest of it begins. */
import * as z from 'zod';

/** What an answer with a part of a list says of the whole. */
export const page = { total: z.int(), next_offset: z.int().optional() };

/** Where the rest of a list begins, if there is any. */
export function toNextOffset(total: number, start: number, shown: number): { readonly next_offset?: number } {
  return shown > 0 && start + shown < total ? { next_offset: start + shown } : {};
}

/** A sentence on what of a list was shown, and how to see the rest. */
export function toPageText(
  what: string,
  { total, next_offset }: { readonly total: number; readonly next_offset?: number | undefined },
  shown: number,
): string {
  const rest = next_offset === undefined ? '' : ` Go on with offset ${next_offset}.`;
  return `${shown} of ${total} ${what}.${rest}`;
}

/** A number of things, in words. */
export function toCount(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

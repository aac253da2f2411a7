/** Text in which something has to be said. */
import * as z from 'zod';

/** What is said of a text in which nothing is. */
export const NOTHING_SAID = 'has to hold at least one visible character';

/** True when there is something to be seen: spaces, control and format characters and lone marks are nothing. */
export function isVisible(text: string): boolean {
  return /[^\s\p{C}\p{M}]/u.test(text);
}

/** A text up to so many characters, with something in it. */
export function said(max: number): z.ZodString {
  // What is empty is refused for its length already.
  return z
    .string()
    .min(1)
    .max(max)
    .refine((text) => text === '' || isVisible(text), NOTHING_SAID);
}

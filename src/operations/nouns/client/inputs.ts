/** The inputs that operations on clients share: one name, one meaning. */
import * as z from 'zod';

const NAME = z.string().min(1).max(200);
const ABOUT_NAME = 'client key; several with commas, or all';

/** One client, several, or all that are on this machine. */
export const CLIENT_NAME = NAME.describe(ABOUT_NAME);

/** The same, where nothing means all. */
export const ANY_CLIENT_NAME = NAME.optional().describe(ABOUT_NAME);

/** Variables or headers; an empty text takes one out. */
export function members(what: string) {
  return z.record(z.string().min(1).max(200), z.string().max(4_000)).optional().describe(what);
}

/** What profiles and shares may be called. */

/** Fits an address, a command line and a file name. */
export const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

/** The same in words, as what somebody is told to take. */
export const NAME_RULE = 'a letter or digit and up to 39 letters, digits, dots, hyphens or underscores';

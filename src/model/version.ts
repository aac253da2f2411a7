/** The version of this Thimble; a test holds it equal to package.json. */

/** Said to clients, upstreams and people. */
export const VERSION = '0.1.0';

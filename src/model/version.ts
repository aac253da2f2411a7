/** The version of this Thimble and of the Node it needs; a test holds both equal to package.json. */

/** Said to clients, upstreams and people. */
export const VERSION = '0.1.0';

/** The oldest Node it runs on: major and minor. */
export const OLDEST_NODE = [20, 19] as const;

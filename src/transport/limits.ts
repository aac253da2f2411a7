/** Every bound the edge keeps, in one place, so that a person can see what a client may cost. */

/** Bytes of one HTTP request body. */
export const BODY_LIMIT = 4 * 1024 * 1024;
/** Brackets within brackets in one body. */
export const DEPTH_LIMIT = 64;
/** Values in one body, members and elements counted alike. */
export const NODE_LIMIT = 10_000;
/** Messages in one batch; only revision 2025-03-26 has batches. */
export const BATCH_LIMIT = 100;
/** Bytes of the head of one HTTP request. */
export const HEADER_LIMIT = 16 * 1024;
/** Header lines of one HTTP request; further ones are not read. */
export const HEADER_COUNT_LIMIT = 100;
/** How long a client may take to send the head of a request. */
export const HEADER_MS = 15_000;
/** How long a client may take to send a whole request. */
export const REQUEST_MS = 20_000;
/** How long it may take where files are uploaded. */
export const UPLOAD_MS = 3_600_000;
/** Connections open at once. */
export const CONNECTION_LIMIT = 4_096;
/** Calls in flight at once, of all clients of a face. */
export const CALL_LIMIT = 2_000;
/** Subscriptions of modern clients open at once. */
export const LISTENER_LIMIT = 1_000;
/** Legacy sessions alive at once, and SSE pairs alive at once. */
export const SESSION_LIMIT = 1_000;
/** A legacy session nobody used for this long is forgotten. */
export const SESSION_IDLE_MS = 30 * 60_000;
/** How often forgotten sessions are looked for. */
export const SESSION_SWEEP_MS = 60_000;
/** Events one legacy session keeps for a client that comes back. */
export const LOG_EVENT_LIMIT = 256;
/** Characters of those events; the newest is kept whatever its size. */
export const LOG_SIZE_LIMIT = 1024 * 1024;
/** How long what a finished POST answer said is kept for a client that did not get all of it. */
export const LOG_KEEP_MS = 30_000;
/** Bytes that may wait for a client that does not read; past it the connection is cut. */
export const BACKLOG_LIMIT = 32 * 1024 * 1024;
/** A request that runs longer than this is answered by a stream. */
export const STREAM_AFTER_MS = 5_000;
/** A silent stream gets a comment this often, so that nothing between takes it for dead. */
export const KEEP_ALIVE_MS = 15_000;
/** How soon a client should come back to a stream that broke. */
export const RETRY_MS = 1_000;
/** How long a stop waits for calls in flight before it answers them itself; stopping the servers comes after it. */
export const DRAIN_MS = 8_000;
/** How long closing waits for connections before it cuts them. */
export const CLOSE_GRACE_MS = 1_500;

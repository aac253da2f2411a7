/** Every bound storage keeps, in one place. */

/** Bytes of a file that is sent inside a tool call. */
export const INLINE_LIMIT = 1024 * 1024;
/** Characters those bytes have as base64, line ends allowed for. */
export const INLINE_TEXT_LIMIT = 1_500_000;
/** How long an upload URL is good for, in seconds. */
export const UPLOAD_SECONDS = 3_600;
/** How long the link lives that an upload is answered with, in seconds. */
export const LINK_SECONDS = 3_600;
/** An upload whose process does not show for this long is dead. */
export const LEASE_MS = 60_000;
/** How often a running upload shows that it lives. */
export const TOUCH_MS = 20_000;
/** Bytes of the quota an upload of unknown length takes at a time. */
export const RESERVE_STEP = 8 * 1024 * 1024;
/** Contents and uploads looked at in one sweep. */
export const SWEEP_LIMIT = 200;
/** Uploads one principal may have announced and not finished. */
export const OPEN_UPLOAD_LIMIT = 1_000;
/** Buckets that statistics name, the largest first. */
export const SHOWN_BUCKETS = 50;

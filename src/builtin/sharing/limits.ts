/** Every bound sharing keeps, in one place. */

/** How long an invite is good for. */
export const INVITE_MS = 24 * 60 * 60 * 1000;
/** Invites that may be open at once. */
export const OPEN_INVITE_LIMIT = 50;
/** Characters of a message. */
export const MESSAGE_LIMIT = 10_000;
/** Bytes the content of an item may have as JSON; files go beside it. */
export const CONTENT_LIMIT = 1024 * 1024;
/** Bytes of a frame between contacts: content, and room for what surrounds it. */
export const FRAME_LIMIT = CONTENT_LIMIT + 64 * 1024;
/** Bytes of a frame from somebody who has not yet shown who they are. */
export const GREETING_LIMIT = 4 * 1024;
/** Bytes of a file that travel at once. */
export const CHUNK_BYTES = 64 * 1024;
/** Strangers who may be at the door at once. */
export const STRANGER_LIMIT = 16;
/** How long somebody may take to say who they are. */
export const GREETING_MS = 8_000;
/** How long a contact may take to answer before the connection counts as dead. */
export const ANSWER_MS = 60_000;
/** Items of one contact that may wait unread; files still arriving are among them. */
export const UNREAD_LIMIT = 1_000;
/** Items of one contact that are remembered; the oldest that were read make room. */
export const REMEMBERED_LIMIT = 10_000;
/** The part of their room beyond which a contact is told to have little left. */
export const FULL_SHARE = 0.9;
/** Items that may wait for one contact; what takes something back is not among them. */
export const OUTBOX_LIMIT = 10_000;
/** How long an item rests that found no room at the other end. */
export const PUT_OFF_MS = 10 * 60 * 1000;
/** How often changes that another process made are looked for. */
export const LOOK_MS = 2_000;
/** How often it is looked whether there is anybody to reach while there is not, and how long a failure rests. */
export const REST_MS = 30_000;
/** How often somebody is dialled anew while something waits for them. */
export const DIAL_MS = 15_000;
/** How long the right to be on the network lasts when its holder shows no more. */
export const LEASE_MS = 60_000;
/** How often the holder shows that it lives. */
export const RENEW_MS = 20_000;
/** How long accept_invite waits for the other side before it says that this goes on by itself. */
export const ACCEPT_WAIT_MS = 20_000;
/** How long the part of a file stays whose sender never comes back to it. */
export const ARRIVING_MS = 14 * 24 * 60 * 60 * 1000;
/** How often files that nobody names are looked for, and how long they stay at least. */
export const SWEEP_MS = 60 * 60 * 1000;
/** How long leaving the network in good order may take. */
export const LEAVE_MS = 3_000;

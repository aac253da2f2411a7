/** Joins those who run the same servers: as their guest, or as their host when there is none. */
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { GatewayError } from '../../errors/gateway-error.ts';
import { REPLY } from '../door/door.ts';
import { type Listening, listen, reach, readLine, removeSocket, say } from '../door/socket.ts';
import type { MeetingPlace } from './meeting-place.ts';

/** What is wanted of a host. */
export interface Wish {
  readonly path: string;
  readonly profile: string | undefined;
}

/** How it went. */
export type Joined =
  | { readonly as: 'guest'; readonly socket: Socket }
  | { readonly as: 'host'; readonly listening: Listening }
  /** Nobody could be met; better alone than not at all. */
  | { readonly as: 'loner' };

/** How long a host may take to answer; one that has just taken over is still opening its servers. */
const REPLY_MS = 10_000;
const REPLY_LIMIT = 8_192;
/** More than this many who are faster, or gone, and one goes one's own way. */
const ATTEMPTS = 40;
const PAUSE_MS = 50;

/** Joins; throws when a host refuses the wish. */
export async function join(place: MeetingPlace, home: string, wish: Wish): Promise<Joined> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const found = await place.find();
    const socket = found === undefined ? 'gone' : await reach(found);
    if (socket === 'silent') {
      // Whoever has more to do than to take connections is still there, and so are its servers.
      await delay(PAUSE_MS);
      continue;
    }
    if (typeof socket !== 'string') {
      const reply = await ask(socket, wish);
      if (reply === 'welcome') return { as: 'guest', socket };
      if (typeof reply === 'object') throw new GatewayError('ENDPOINT_NOT_FOUND', reply.refused);
      // A process that is just being ended still takes connections, and drops them.
      const isGone = socket.destroyed || socket.readableEnded;
      socket.destroy();
      if (!isGone) return { as: 'loner' };
      await delay(PAUSE_MS);
      continue;
    }
    const listening = await listen(home).catch(() => undefined);
    if (!listening) return { as: 'loner' };
    if (await place.claim(found, listening.address)) {
      // What cannot be removed harms nobody, and what is another user's may be in use.
      if (found !== undefined && socket === 'gone') await removeSocket(found).catch(() => {});
      return { as: 'host', listening };
    }
    await listening.close();
  }
  return { as: 'loner' };
}

async function ask(
  socket: Socket,
  { path, profile }: Wish,
): Promise<'welcome' | 'silent' | { readonly refused: string }> {
  say(socket, { path, profile });
  const reply = REPLY.safeParse(await readLine(socket, REPLY_MS, REPLY_LIMIT));
  if (!reply.success) return 'silent';
  const { refused } = reply.data;
  return refused === undefined ? 'welcome' : { refused };
}

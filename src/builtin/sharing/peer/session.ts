/** One conversation with a peer: who are you, may you come in, and then items both ways. */
import type { Sharing } from '../context.ts';
import { FRAME_LIMIT, GREETING_LIMIT, GREETING_MS } from '../limits.ts';
import type { PeerStream } from '../network/network.ts';
import { findContactByKey, noteConnected } from '../rows/contacts.ts';
import { createAnswers } from './answers.ts';
import { createBell } from './bell.ts';
import { runLane } from './delivery.ts';
import { type Frame, readFrames } from './frames.ts';
import { greet } from './greeting.ts';
import { createIntake } from './intake.ts';
import { parsePeerMessage } from './messages.ts';
import { createMouth } from './mouth.ts';

/** A conversation. */
export interface PeerSession {
  /** Resolves when it is over and nothing of it writes any more. */
  readonly done: Promise<void>;
  /** Something may be waiting for them. */
  wake(): void;
  close(): void;
}

/** Who is there, and what to tell of it. */
export interface SessionParts {
  readonly sharing: Sharing;
  /** Hex; proven by the network. */
  readonly key: string;
  readonly stream: PeerStream;
  /** Called when they are let in. */
  opened(): void;
}

/** Starts a conversation. */
export function openPeerSession({ sharing, key, stream, opened }: SessionParts): PeerSession {
  const gone = new AbortController();
  const bells = { files: createBell(), words: createBell() };
  let limit = GREETING_LIMIT;

  const end = () => {
    gone.abort(new PeerGone());
    stream.destroy();
  };
  stream.on('close', end);
  stream.on('error', end);
  const mouth = createMouth(stream, gone.signal);
  const frames = readFrames(stream, () => limit);

  async function run(): Promise<void> {
    const cancel = sharing.clock.after(GREETING_MS, end);
    const isIn = await greet({ sharing, key, mouth, next: () => nextMessage(frames) });
    cancel();
    if (!isIn) return farewell();
    const contact = await findContactByKey(sharing, key);
    if (!contact || contact.blocked === 1) return;
    limit = FRAME_LIMIT;
    await noteConnected(sharing, contact.id, true);
    opened();
    try {
      await converse(contact.id);
    } finally {
      await noteConnected(sharing, contact.id, false);
    }
  }

  /** What was said last has to arrive before the stream ends. */
  async function farewell(): Promise<void> {
    stream.end();
    const cancel = sharing.clock.after(GREETING_MS, end);
    for await (const _ of frames) if (gone.signal.aborted) break;
    cancel();
  }

  async function converse(contactId: number): Promise<void> {
    const answers = createAnswers({ clock: sharing.clock, gone: gone.signal, silent: end });
    const delivery = { sharing, contactId, mouth, answers, gone: gone.signal };
    const lanes = (['words', 'files'] as const).map((lane) =>
      runLane(delivery, lane, bells[lane])
        // The peer is gone, or the store is: either way this conversation is over.
        .catch(() => {})
        .finally(end),
    );
    const intake = createIntake(sharing, contactId, mouth);
    try {
      for await (const frame of frames) {
        if (frame.kind === 'bytes') {
          await intake.bytes(frame.id, frame.bytes);
          continue;
        }
        const message = parsePeerMessage(frame.value);
        if (message?.t === 'item') await intake.item(message);
        if (message?.t === 'end') await intake.end(message.id);
        if (message?.t === 'invalid') await mouth.say({ t: 'nack', id: message.id, reason: 'invalid' });
        if (message?.t === 'ack' || message?.t === 'nack' || message?.t === 'want') answers.give(message);
      }
    } finally {
      end();
      await Promise.allSettled([...lanes, intake.close()]);
    }
  }

  const done = run()
    // Whatever ended it, a stream or a store: what was not acknowledged is sent again when they meet next.
    .catch(() => {})
    .finally(end);
  return {
    done,
    wake() {
      bells.files.ring();
      bells.words.ring();
    },
    close: end,
  };
}

/** Why things stop when a conversation is over. */
class PeerGone extends Error {
  constructor() {
    super('the peer is gone');
  }
}

/** The next thing they say; undefined when they end, or say something else than words. */
async function nextMessage(
  frames: AsyncGenerator<Frame, void, void>,
): Promise<ReturnType<typeof parsePeerMessage>> {
  const { value, done } = await frames.next();
  return done || value.kind !== 'words' ? undefined : parsePeerMessage(value.value);
}

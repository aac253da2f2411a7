/** Brings the answers of a peer to whoever waits for them. */
import type { Clock } from '../../../lib/clock.ts';
import { ANSWER_MS } from '../limits.ts';
import type { PeerMessage } from './messages.ts';

/** What a peer may answer to an item. */
export type Answer = Extract<PeerMessage, { t: 'ack' | 'nack' | 'want' }>;

/** The open questions of one conversation. */
export interface Answers {
  /** The next answer about an item; rejects when the peer is gone, and calls it gone when it says nothing. */
  next(id: string): Promise<Answer>;
  /** Hands over an answer; what nobody waits for is dropped. */
  give(answer: Answer): void;
}

/** Creates them; `silent` is called when a peer owes an answer for too long. */
export function createAnswers(parts: {
  readonly clock: Clock;
  readonly gone: AbortSignal;
  silent(): void;
}): Answers {
  const { clock, gone, silent } = parts;
  const waiting = new Map<string, (answer: Answer) => void>();
  return {
    give: (answer) => waiting.get(answer.id)?.(answer),
    next: (id) =>
      new Promise((resolve, reject) => {
        const cancel = clock.after(ANSWER_MS, silent);
        const stop = () => {
          cancel();
          waiting.delete(id);
          gone.removeEventListener('abort', onGone);
        };
        const onGone = () => {
          stop();
          reject(gone.reason);
        };
        waiting.set(id, (answer) => {
          stop();
          resolve(answer);
        });
        if (gone.aborted) onGone();
        else gone.addEventListener('abort', onGone);
      }),
  };
}

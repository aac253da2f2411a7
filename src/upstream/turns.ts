/** Lets one conversation at a time use a server whose questions cannot be told apart. */
import type { CancelSignal } from '../lib/cancel.ts';

/** A place in the queue of conversations. */
export interface Turns {
  /** Resolves when it is this conversation's turn; the returned function gives the turn back. */
  enter(conversation: string, signal: CancelSignal): Promise<() => void>;
}

interface Waiting {
  readonly conversation: string;
  readonly go: () => void;
}

/** Creates a queue; calls of the conversation whose turn it is need not wait for one another. */
export function createTurns(): Turns {
  let current: string | undefined;
  let running = 0;
  let waiting: readonly Waiting[] = [];

  function admit(conversation: string): () => void {
    current = conversation;
    running += 1;
    let left = false;
    return () => {
      if (left) return;
      left = true;
      running -= 1;
      if (running === 0) next();
    };
  }

  function next(): void {
    current = undefined;
    const [first] = waiting;
    if (!first) return;
    const together = waiting.filter(({ conversation }) => conversation === first.conversation);
    waiting = waiting.filter(({ conversation }) => conversation !== first.conversation);
    for (const { go } of together) go();
  }

  return {
    enter(conversation, signal) {
      if (current === undefined || current === conversation) return Promise.resolve(admit(conversation));
      return new Promise((resolve, reject) => {
        const entry: Waiting = {
          conversation,
          go() {
            signal.removeEventListener('abort', leave);
            resolve(admit(conversation));
          },
        };
        const leave = () => {
          waiting = waiting.filter((other) => other !== entry);
          reject(signal.reason);
        };
        waiting = [...waiting, entry];
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
}

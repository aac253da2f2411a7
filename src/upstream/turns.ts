/** Lets one conversation at a time use a server whose questions cannot be told apart. */
import { GatewayError } from '../errors/gateway-error.ts';
import type { CancelSignal } from '../lib/cancel.ts';
import type { Clock } from '../lib/clock.ts';

/** Gives a turn back; safe to call twice. */
export type Leave = () => void;

/** The queue of conversations. */
export interface Turns {
  /** Takes part without waiting, while nobody has to take turns yet. */
  join(conversation: string): Leave;
  /** Resolves when no other conversation is at it; one that waits too long is told what to do. */
  enter(conversation: string, signal: CancelSignal): Promise<Leave>;
}

interface Waiting {
  readonly conversation: string;
  go(): void;
}

/** A person may take minutes to answer; a caller behind them is not kept in the dark for that long. */
const MAX_WAIT_MS = 30_000;

/** Creates a queue; calls of one conversation never wait for one another. */
export function createTurns(clock: Clock, name: string): Turns {
  const running = new Map<string, number>();
  let waiting: readonly Waiting[] = [];

  function join(conversation: string): Leave {
    running.set(conversation, (running.get(conversation) ?? 0) + 1);
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const rest = (running.get(conversation) ?? 1) - 1;
      if (rest > 0) running.set(conversation, rest);
      else running.delete(conversation);
      if (running.size === 0) admitNext();
    };
  }

  const isFree = (conversation: string) =>
    running.size === 0 || (running.size === 1 && running.has(conversation));

  function admitNext(): void {
    const [first] = waiting;
    if (!first) return;
    const together = waiting.filter(({ conversation }) => conversation === first.conversation);
    waiting = waiting.filter(({ conversation }) => conversation !== first.conversation);
    for (const { go } of together) go();
  }

  return {
    join,
    enter(conversation, signal) {
      if (isFree(conversation)) return Promise.resolve(join(conversation));
      return new Promise((resolve, reject) => {
        const giveUp = (reason: unknown) => {
          waiting = waiting.filter((other) => other !== entry);
          stop();
          reject(reason);
        };
        const onAbort = () => giveUp(signal.reason);
        const cancelTimer = clock.after(MAX_WAIT_MS, () => giveUp(toBusyError(name)));
        const stop = () => {
          cancelTimer();
          signal.removeEventListener('abort', onAbort);
        };
        const entry: Waiting = {
          conversation,
          go() {
            stop();
            resolve(join(conversation));
          },
        };
        waiting = [...waiting, entry];
        signal.addEventListener('abort', onAbort, { once: true });
      });
    },
  };
}

function toBusyError(name: string): GatewayError {
  const advice = 'try again later, or set "interactive": "per-session" for it';
  return new GatewayError(
    'TOO_BUSY',
    `${name}: is busy with calls of another client, and takes one client at a time since it asks back; ${advice}`,
    {
      data: { upstream: name },
    },
  );
}

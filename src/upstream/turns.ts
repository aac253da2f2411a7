/** Lets one conversation at a time use a server whose questions cannot be told apart. */
import { GatewayError } from '../errors/gateway-error.ts';
import { type CancelSignal, createCancel } from '../lib/cancel.ts';
import type { CancelTimer, Clock } from '../lib/clock.ts';
import { createWaitingLine, type Waiter } from '../lib/waiting-line.ts';
import type { Leave } from './bulkhead.ts';

/** The queue of conversations. */
export interface Turns {
  /** Takes part without waiting, while nobody has to take turns yet. */
  join(conversation: string): Leave;
  /** Resolves when no other conversation is at it; one that waits too long is told what to do. */
  enter(conversation: string, signal: CancelSignal): Promise<Leave>;
  /** A question is put to whoever has the turn; it is taken back when it stays open for long while others wait. */
  ask(signal: CancelSignal): OpenQuestion;
}

/** A question nobody has answered yet. */
export interface OpenQuestion {
  /** Aborts when it is taken back, or the signal it was opened with does. */
  readonly signal: CancelSignal;
  readonly isTakenBack: boolean;
  /** It was answered, or nobody wants to know any more. */
  close(): void;
}

interface Waiting extends Waiter<Leave> {
  readonly conversation: string;
  readonly since: number;
}

/** A person may take minutes to answer; a caller behind them is not kept in the dark for that long. */
const MAX_WAIT_MS = 30_000;
/** Whoever has the turn may go on starting calls for this long while somebody waits; then they wait in their order. */
const MAX_EXTEND_MS = 2_000;
/** A question may stay open for this long while somebody waits behind it. */
const MAX_ASK_MS = 60_000;

/** Creates a queue; calls of one conversation wait for one another only where others would wait for ever. */
export function createTurns(clock: Clock, name: string): Turns {
  const running = new Map<string, number>();
  const line = createWaitingLine<Leave, Waiting>(clock);
  const questions = createQuestions(clock, name, () => line.size > 0);

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

  function isFree(conversation: string): boolean {
    if (running.size === 0) return true;
    return running.size === 1 && running.has(conversation) && mayExtend();
  }

  function mayExtend(): boolean {
    const { first } = line;
    // Who was asked something may need a call to find the answer: the turn would never end without it.
    return !first || questions.size > 0 || clock.now() - first.since < MAX_EXTEND_MS;
  }

  function admitNext(): void {
    const { first } = line;
    if (first) line.admitAll(({ conversation }) => conversation === first.conversation);
  }

  function wait(conversation: string, signal: CancelSignal): Promise<Leave> {
    const entered = line.wait({
      conversation,
      since: clock.now(),
      signal,
      limitMs: MAX_WAIT_MS,
      take: () => join(conversation),
      toLateError: () => toBusyError(name, questions.restMs),
    });
    questions.look();
    return entered;
  }

  return {
    join,
    enter: (conversation, signal) =>
      isFree(conversation) ? Promise.resolve(join(conversation)) : wait(conversation, signal),
    ask: questions.open,
  };
}

/** The questions that are open, the oldest first. */
interface Questions {
  readonly size: number;
  /** How long the oldest may still stay open. */
  readonly restMs: number;
  open(signal: CancelSignal): OpenQuestion;
  /** Takes back what has been open for too long, if somebody waits. */
  look(): void;
}

interface Asked {
  readonly since: number;
  takeBack(): void;
}

function createQuestions(clock: Clock, name: string, somebodyWaits: () => boolean): Questions {
  const open = new Set<Asked>();
  let cancelLook: CancelTimer | undefined;

  function restMs(): number {
    const [oldest] = open;
    return oldest === undefined ? 0 : Math.max(0, oldest.since + MAX_ASK_MS - clock.now());
  }

  function look(): void {
    cancelLook?.();
    cancelLook = undefined;
    if (!somebodyWaits()) return;
    for (const asked of [...open]) if (asked.since + MAX_ASK_MS <= clock.now()) asked.takeBack();
    if (open.size > 0) cancelLook = clock.after(restMs(), look);
  }

  return {
    get size() {
      return open.size;
    },
    get restMs() {
      return restMs();
    },
    open(signal) {
      const cancel = createCancel();
      let isTakenBack = false;
      const onAbort = () => cancel.abort(signal.reason);
      const asked: Asked = {
        since: clock.now(),
        takeBack() {
          isTakenBack = true;
          close();
          cancel.abort(toTakenBackError(name));
        },
      };
      function close(): void {
        open.delete(asked);
        signal.removeEventListener('abort', onAbort);
        if (open.size === 0) cancelLook?.();
      }
      signal.addEventListener('abort', onAbort, { once: true });
      open.add(asked);
      look();
      return {
        signal: cancel.signal,
        get isTakenBack() {
          return isTakenBack;
        },
        close,
      };
    },
    look,
  };
}

function toTakenBackError(name: string): GatewayError {
  return new GatewayError(
    'CALL_CANCELLED',
    `${name}: nobody answered its question within ${MAX_ASK_MS / 1_000} s, and other clients wait; make the call again`,
    { data: { upstream: name } },
  );
}

function toBusyError(name: string, retryInMs: number): GatewayError {
  const advice = `try again in ${Math.max(1, Math.ceil(retryInMs / 1_000))} s, or set "interactive": "per-session" for it`;
  return new GatewayError(
    'TOO_BUSY',
    `${name}: is busy with calls of another client, and takes one client at a time since it asks back; ${advice}`,
    {
      data: { upstream: name, retryInMs },
    },
  );
}

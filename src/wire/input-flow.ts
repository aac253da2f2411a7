/** Lets bytes in as fast as they can be dealt with: not while too much waits to go out, and a flood of lines only bit by bit. */
import type { Readable } from 'node:stream';

/** The way in of one channel. */
export interface InputFlow {
  /** Begins to hand chunks over. */
  start(read: (chunk: Buffer) => void): void;
  /** Stops it while something else has to catch up, or lets it go on. */
  hold(held: boolean): void;
}

/** As many lines are dealt with before everybody else gets a turn. */
const LINES_PER_TURN = 100;
const NEWLINE = 10;

/** Creates the flow of a stream. */
export function createInputFlow(input: Readable): InputFlow {
  let held = false;
  /** What of a flood is still to be dealt with. */
  let rest: Buffer | undefined;
  let isDue = false;
  let read = (_chunk: Buffer): void => {};

  /** Goes on with what is left, else with what comes; not while it is held. */
  function flow(): void {
    if (held) return;
    if (!rest) input.resume();
    else if (!isDue) {
      isDue = true;
      setImmediate(goOn);
    }
  }

  /** Deals with a turn's worth of lines, and with the rest after the others had theirs. */
  function take(chunk: Buffer): void {
    const end = toTurnEnd(chunk);
    rest = end < chunk.length ? chunk.subarray(end) : undefined;
    if (rest) {
      input.pause();
      flow();
    }
    read(end < chunk.length ? chunk.subarray(0, end) : chunk);
  }

  function goOn(): void {
    isDue = false;
    if (held) return;
    if (rest) take(rest);
    flow();
  }

  /** Nothing comes after the end, so that whatever is left is dealt with before it is told. */
  function finish(): void {
    const last = rest;
    rest = undefined;
    if (last) read(last);
  }

  return {
    start(next) {
      read = next;
      input.on('data', take);
      input.on('end', finish);
      input.on('close', finish);
    },
    hold(now) {
      held = now;
      if (held) input.pause();
      else flow();
    },
  };
}

/** Where so many lines end, or the chunk does. */
function toTurnEnd(chunk: Buffer): number {
  let at = -1;
  for (let lines = 0; lines < LINES_PER_TURN; lines++) {
    at = chunk.indexOf(NEWLINE, at + 1);
    if (at === -1) return chunk.length;
  }
  return at + 1;
}

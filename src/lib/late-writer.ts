/** Writes what was gathered a little later: once for many changes, and at the end what is left. */
import { type CancelTimer, type Clock, systemClock } from './clock.ts';

/** What a writer writes and when. */
export interface LateWriterOptions {
  /** Takes what was gathered and writes it down; never called while it still runs. What fails is given up. */
  write(): Promise<void>;
  readonly clock?: Clock | undefined;
  /** How long the end waits for the last writes; until they are done unless told. */
  readonly lastMs?: number;
}

/** One writer; disposing it writes what is left. */
export interface LateWriter extends AsyncDisposable {
  /** Says that there is something to write. */
  soon(): void;
  /** Writes what is left now; resolves when that and all before it is done, and never rejects. */
  flush(): Promise<void>;
}

const WRITE_AFTER_MS = 2_000;

/** Creates a writer that rests until there is something to write. */
export function createLateWriter({ write, clock = systemClock, lastMs }: LateWriterOptions): LateWriter {
  let cancel: CancelTimer | undefined;
  let writing = Promise.resolve();

  function flush(): Promise<void> {
    cancel?.();
    cancel = undefined;
    // What cannot be kept must not disturb those it was gathered from.
    writing = writing.then(write).catch(() => {});
    return writing;
  }

  return {
    soon() {
      cancel ??= clock.after(WRITE_AFTER_MS, () => void flush());
    },
    flush,
    async [Symbol.asyncDispose]() {
      const written = flush();
      if (lastMs === undefined) return written;
      let stopWaiting = () => {};
      const late = new Promise<void>((resolve) => {
        stopWaiting = clock.after(lastMs, resolve);
      });
      await Promise.race([written, late]);
      stopWaiting();
    },
  };
}

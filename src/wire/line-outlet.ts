/** Writes text to a byte stream: one write a turn, no faster than it is read, and not for ever to a reader that stalls. */
import type { Writable } from 'node:stream';
import type { CancelTimer, Clock } from '../lib/clock.ts';

/** What an outlet writes to, and whom it tells of a reader that cannot keep up. */
export interface OutletOptions {
  readonly output: Writable;
  readonly clock: Clock;
  /** Bytes that may wait for the reader; past it the reader is given up. */
  readonly limitBytes: number;
  /** Called once: the reader took too little for too long, or too much waits for it. */
  readonly onStalled: (reason: string) => void;
  /** Told when so much waits that nothing more should be asked for, and when that is over. */
  readonly onPressure?: (high: boolean) => void;
}

/** Called when a text did not reach the other side, not even in part. */
export type Lost = (error: Error) => void;

interface Waiting {
  readonly bytes: Buffer;
  readonly lost: Lost | undefined;
}

/** What goes out in one write, so that progress can be seen and little is held by the operating system's side. */
const PIECE_BYTES = 64 * 1024;
/** As much may wait before the other side is asked for nothing more. */
const PRESSURE_BYTES = 1024 * 1024;
/** A reader with something waiting has to take this much between two looks. */
const LEAST_BYTES = 256 * 1024;
const LOOK_MS = 25_000;

/** One byte stream being written to. */
export class Outlet {
  readonly #options: OutletOptions;
  readonly #queue: Waiting[] = [];
  #text = '';
  #texts = 0;
  #lost: Lost | undefined;
  /** Bytes in the queue. */
  #waiting = 0;
  /** Bytes of the first in the queue that are written already. */
  #offset = 0;
  #taken = 0;
  #blocked = false;
  #high = false;
  #stopped = false;
  #cancelLook: CancelTimer | undefined;
  #onEmpty: (() => void) | undefined;

  constructor(options: OutletOptions) {
    this.#options = options;
    options.output.on('drain', this.#onDrain);
    options.output.on('close', this.#onClose);
  }

  /** Bytes that wait for the reader. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Takes a text, or the bytes of a long one; it goes out with whatever else this turn brings. */
  write(text: string | Buffer, lost?: Lost): void {
    if (this.#stopped || !this.#options.output.writable) {
      lost?.(new Error('its input is closed'));
      return;
    }
    if (typeof text !== 'string' || this.#blocked || text.length > PIECE_BYTES) {
      this.#flush();
      this.#enqueue(text, lost);
      return;
    }
    if (this.#texts === 0) process.nextTick(this.#flush);
    this.#text += text;
    this.#texts += 1;
    this.#lost = lost;
    if (this.#text.length > PIECE_BYTES) this.#flush();
  }

  /** Ends the stream once everything is out; resolves then, after the given time, or when the reader is gone. */
  finish(limitMs?: number): Promise<void> {
    this.#flush();
    return new Promise((resolve) => {
      const { output, clock } = this.#options;
      const cancel = limitMs === undefined ? undefined : clock.after(limitMs, () => done());
      const done = () => {
        cancel?.();
        this.stop();
        resolve();
      };
      output.once('close', done);
      if (output.destroyed) done();
      else if (this.#queue.length === 0) output.end(done);
      else this.#onEmpty = () => output.end(done);
    });
  }

  /** Writes no more and forgets what waits. */
  stop(): void {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#cancelLook?.();
    const error = new Error('its input is closed');
    const unsent = this.#offset > 0 ? this.#queue.slice(1) : this.#queue;
    for (const { lost } of unsent) lost?.(error);
    this.#queue.length = 0;
    this.#waiting = 0;
    this.#text = '';
    this.#texts = 0;
  }

  readonly #flush = (): void => {
    if (this.#texts === 0) return;
    const text = this.#text;
    // Of several lines in one write some may have arrived: only a lone one is known not to have.
    const lost = this.#texts === 1 ? this.#lost : undefined;
    this.#text = '';
    this.#texts = 0;
    this.#lost = undefined;
    if (this.#blocked) this.#enqueue(text, lost);
    else this.#put(text, lost);
  };

  readonly #onDrain = (): void => {
    this.#blocked = false;
    this.#pump();
  };

  readonly #onClose = (): void => this.stop();

  #put(piece: string | Buffer, lost: Lost | undefined): void {
    const { output } = this.#options;
    const room =
      lost === undefined ? output.write(piece) : output.write(piece, (error) => error && lost(error));
    if (!room) this.#blocked = true;
  }

  #enqueue(text: string | Buffer, lost: Lost | undefined): void {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    this.#queue.push({ bytes, lost });
    this.#waiting += bytes.length;
    this.#pump();
    if (this.#waiting === 0) return;
    if (this.#cancelLook === undefined) this.#lookLater();
    this.#press(this.#waiting > PRESSURE_BYTES);
    if (this.#waiting > this.#options.limitBytes)
      this.#giveUp(`${this.#waiting} bytes wait to be read, over the limit of ${this.#options.limitBytes}`);
  }

  #pump(): void {
    for (let [first] = this.#queue; first !== undefined && !this.#blocked; [first] = this.#queue) {
      const end = this.#offset + PIECE_BYTES;
      const piece = first.bytes.subarray(this.#offset, end);
      const last = end >= first.bytes.length;
      if (last) this.#queue.shift();
      this.#put(piece, last && this.#offset === 0 ? first.lost : undefined);
      this.#offset = last ? 0 : end;
      this.#waiting -= piece.length;
      this.#taken += piece.length;
    }
    if (this.#queue.length > 0 || this.#stopped) return;
    this.#cancelLook?.();
    this.#cancelLook = undefined;
    this.#press(false);
    this.#onEmpty?.();
    this.#onEmpty = undefined;
  }

  readonly #look = (): void => {
    this.#cancelLook = undefined;
    if (this.#taken === 0 || (this.#taken < LEAST_BYTES && this.#waiting > LEAST_BYTES))
      this.#giveUp(`${this.#waiting} bytes wait and only ${this.#taken} were read in ${LOOK_MS} ms`);
    else this.#lookLater();
  };

  #lookLater(): void {
    this.#taken = 0;
    this.#cancelLook = this.#options.clock.after(LOOK_MS, this.#look);
  }

  #press(high: boolean): void {
    if (high === this.#high) return;
    this.#high = high;
    this.#options.onPressure?.(high);
  }

  #giveUp(reason: string): void {
    if (this.#stopped) return;
    this.stop();
    this.#options.onStalled(reason);
  }
}

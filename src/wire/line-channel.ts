/** A channel over two byte streams, one message a line: stdio of either side, or a socket. */
import { isUtf8 } from 'node:buffer';
import type { Readable, Writable } from 'node:stream';
import { GatewayError } from '../errors/gateway-error.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { JsonObject } from '../model/json.ts';
import type { Channel, ChannelReceiver, CloseReason } from './channel.ts';
import { createInputFlow, type InputFlow } from './input-flow.ts';
import { joinText } from './join-text.ts';
import { Outlet } from './line-outlet.ts';
import { createLineReader, type OversizedLine } from './line-reader.ts';
import { toText } from './line-text.ts';
import { toBytes } from './long-text.ts';
import { idOf, isRequest, type Message, parseMessage, type RequestId } from './message.ts';
import { readOversized } from './oversized.ts';
import { toUnsentError } from './unsent.ts';

/** Lines longer than this are refused unless the owner says otherwise. */
export const DEFAULT_LINE_LIMIT = 16 * 1024 * 1024;

/** Bytes that may wait for the other side to read them, unless the owner says otherwise. */
const DEFAULT_BACKLOG_LIMIT = 64 * 1024 * 1024;
/** With this much waiting, news that only tells how a call is going are left out. */
const SKIP_NEWS_BYTES = 256 * 1024;
/** How long closing waits for the last lines to be read. */
const FINISH_MS = 1_500;
const SILENCED: CloseReason = { kind: 'closed', message: 'the other side closed its output' };
const PASSING_NEWS: ReadonlySet<string> = new Set(['notifications/progress', 'notifications/message']);

/** What a line channel reads and writes, and whom it tells of noise. */
export interface LineChannelOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly lineLimit?: number;
  readonly backlogLimit?: number;
  /** Reads one line; a GatewayError it throws tells what is wrong with the line. */
  readonly parse?: (bytes: Buffer) => unknown;
  /** True where the other side is read no further while it does not read what it was sent. */
  readonly holdInput?: boolean;
  readonly clock?: Clock;
  /** A line that is no message; the channel goes on. */
  readonly onNoise?: (problem: LineProblem) => void;
  /** Awaited when the input ends and the output does not: who will ask no more may still wait for answers. */
  readonly onInputEnd?: () => Promise<void>;
  /** Asked for a better reason when the streams end by themselves, before anybody is told. */
  readonly explain?: (reason: CloseReason) => Promise<CloseReason>;
  /** Frees what lies behind the streams; the channel ends its output first. */
  readonly onClose?: () => Promise<void>;
}

/** What was wrong with a line. */
export interface LineProblem {
  readonly kind: 'not-json' | 'not-a-message' | 'too-long';
  readonly bytes: number;
  /** The request or answer id, where one could be read. */
  readonly id: RequestId | undefined;
  /** What the line holds, where it is JSON. */
  readonly value?: unknown;
  /** What the owner's reader said of it. */
  readonly error?: GatewayError;
}

/** Opens a channel over streams that already flow. */
export function createLineChannel(options: LineChannelOptions): Channel {
  return new LineChannel(options);
}

class LineChannel implements Channel {
  readonly #options: LineChannelOptions;
  readonly #lineLimit: number;
  readonly #parse: (bytes: Buffer) => unknown;
  readonly #outlet: Outlet;
  readonly #flow: InputFlow;
  #receiver: ChannelReceiver | undefined;
  /** A line of this turn that only says that something changed: said again at once, it says nothing more. */
  #said: Buffer | undefined;
  #closed = false;
  #inputEnded = false;
  #ending = false;

  constructor(options: LineChannelOptions) {
    const { output, input, holdInput, clock = systemClock } = options;
    this.#options = options;
    this.#lineLimit = options.lineLimit ?? DEFAULT_LINE_LIMIT;
    this.#parse = options.parse ?? parseLine;
    this.#flow = createInputFlow(input);
    this.#outlet = new Outlet({
      output,
      clock,
      limitBytes: options.backlogLimit ?? DEFAULT_BACKLOG_LIMIT,
      onStalled: (reason) => this.#cut(reason),
      ...(holdInput && { onPressure: (high) => this.#flow.hold(high) }),
    });
  }

  open(receiver: ChannelReceiver): void {
    const { input, output } = this.#options;
    this.#receiver = receiver;
    const sink = {
      line: (bytes: Buffer) => this.#onLine(bytes),
      // Whoever has a reader of its own reads whole lines.
      ...(!this.#options.parse && { longLine: (pieces: Buffer[]) => this.#onLongLine(pieces) }),
      overflow: (line: OversizedLine) => this.#onOverflow(line),
    };
    const read = createLineReader(this.#lineLimit, sink);
    this.#flow.start((chunk) => {
      this.#said = undefined;
      read(chunk);
    });
    input.on('end', () => this.#onInputEnd());
    // `close` without `end` comes from a stream that was destroyed rather than read to its end.
    input.on('close', () => {
      if (!this.#inputEnded) void this.#endByItself(SILENCED);
    });
    input.on('error', (error) => this.#endByItself(toFailure('reading', error)));
    output.on('error', (error) => this.#endByItself(toFailure('writing', error)));
  }

  send(message: Message): void {
    if (this.#closed || this.#isSkipped(message)) return;
    const line = toBytes(message, '', '\n') ?? `${toText(message)}\n`;
    if (!isRequest(message)) this.#outlet.write(line);
    else if (this.#isFull(line)) this.#receiver?.failed(message.id, toFullError(this.#outlet.waiting));
    // A line whose write failed was never complete at the other side, so nothing there acted on it.
    else this.#outlet.write(line, (error) => this.#receiver?.failed(message.id, toWriteError(error)));
  }

  async close(): Promise<void> {
    this.#end({ kind: 'closed', message: 'the link was closed' });
    const written = this.#outlet.finish(FINISH_MS);
    await this.#options.onClose?.();
    await written;
  }

  /** A request can be refused before it costs anything; an answer cannot. */
  #isFull(line: string | Buffer): boolean {
    return this.#outlet.waiting + line.length > (this.#options.backlogLimit ?? DEFAULT_BACKLOG_LIMIT) / 2;
  }

  #isSkipped(message: Message): boolean {
    return this.#outlet.waiting > SKIP_NEWS_BYTES && 'method' in message && PASSING_NEWS.has(message.method);
  }

  #cut(reason: string): void {
    this.#endByItself({ kind: 'failed', message: `the other side does not read: ${reason}` });
    this.#options.output.destroy();
  }

  #onLine(bytes: Buffer): void {
    if (this.#said?.equals(bytes)) return;
    let value: unknown;
    try {
      value = this.#parse(bytes);
    } catch (error) {
      if (isBlank(bytes)) return;
      const known = error instanceof GatewayError ? { error } : {};
      this.#options.onNoise?.({ kind: 'not-json', bytes: bytes.length, id: undefined, ...known });
      return;
    }
    const message = this.#onValue(value, bytes.length);
    if (message && isChange(message)) this.#said = bytes;
  }

  #onLongLine(pieces: Buffer[]): void {
    const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
    let value: unknown;
    try {
      value = JSON.parse(joinText(pieces));
    } catch {
      this.#options.onNoise?.({ kind: 'not-json', bytes, id: undefined });
      return;
    }
    this.#onValue(value, bytes);
  }

  #onValue(value: unknown, bytes: number): Message | undefined {
    const message = parseMessage(value);
    if (message) this.#receiver?.message(message);
    else this.#options.onNoise?.({ kind: 'not-a-message', bytes, id: idOf(value), value });
    return message;
  }

  #onOverflow(line: OversizedLine): void {
    const kind = readOversized(line);
    const id = kind.is === 'answer' ? kind.id : undefined;
    this.#options.onNoise?.({ kind: 'too-long', bytes: line.bytes, id });
    if (kind.is === 'answer') this.#receiver?.failed(id, toTooLongError(line.bytes, this.#lineLimit));
  }

  async #onInputEnd(): Promise<void> {
    this.#inputEnded = true;
    await this.#options.onInputEnd?.();
    await this.#endByItself(SILENCED);
  }

  async #endByItself(reason: CloseReason): Promise<void> {
    if (this.#ending) return;
    this.#ending = true;
    this.#end((await this.#options.explain?.(reason)) ?? reason);
  }

  #end(reason: CloseReason): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#receiver?.closed(reason);
  }
}

/** The error for an answer that was longer than the limit. */
export function toTooLongError(bytes: number, limit: number): GatewayError {
  return new GatewayError('RESULT_TOO_LARGE', `a message of ${bytes} bytes is over the limit of ${limit}`, {
    data: { bytes, limit } satisfies JsonObject,
  });
}

/** True for news whose repetition, word for word, is no further news. */
function isChange(message: Message): boolean {
  return 'method' in message && message.method.endsWith('/list_changed') && !isRequest(message);
}

function toFailure(doing: string, error: Error): CloseReason {
  return { kind: 'failed', message: `${doing} failed: ${error.message}` };
}

function toWriteError(error: Error): GatewayError {
  return toUnsentError(
    new GatewayError('UPSTREAM_UNAVAILABLE', `the request could not be written: ${error.message}`, {
      cause: error,
    }),
  );
}

function toFullError(waiting: number): GatewayError {
  return new GatewayError(
    'TOO_BUSY',
    `the server does not read its input, ${waiting} bytes wait for it; try again later, or restart it`,
    { data: { bytes: waiting } },
  );
}

function parseLine(bytes: Buffer): unknown {
  // Bytes that are not UTF-8 must not turn into replacement characters inside a string.
  if (!isUtf8(bytes)) throw new SyntaxError('the line is not UTF-8');
  return JSON.parse(bytes.toString('utf8', startsWithMark(bytes) ? 3 : 0));
}

/** Some programs on Windows begin their output with a byte order mark. */
function startsWithMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 32 || byte === 13 || byte === 9);
}

/** A channel over two byte streams, one message a line: stdio of either side, or a socket. */
import type { Readable, Writable } from 'node:stream';
import { GatewayError } from '../errors/gateway-error.ts';
import type { JsonObject } from '../model/json.ts';
import type { Channel, ChannelReceiver, CloseReason } from './channel.ts';
import { createLineReader, type OversizedLine } from './line-reader.ts';
import { isRequest, type Message, parseMessage, type RequestId } from './message.ts';
import { readOversized } from './oversized.ts';
import { toUnsentError } from './unsent.ts';

/** Lines longer than this are refused unless the owner says otherwise. */
export const DEFAULT_LINE_LIMIT = 16 * 1024 * 1024;

/** What a line channel reads and writes, and whom it tells of noise. */
export interface LineChannelOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly lineLimit?: number;
  /** A line that is no message; the channel goes on. */
  readonly onNoise?: (problem: LineProblem) => void;
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
}

/** Opens a channel over streams that already flow. */
export function createLineChannel(options: LineChannelOptions): Channel {
  return new LineChannel(options);
}

class LineChannel implements Channel {
  readonly #options: LineChannelOptions;
  readonly #lineLimit: number;
  // A fatal decoder: bytes that are not UTF-8 must not turn into replacement characters inside a string.
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #receiver: ChannelReceiver | undefined;
  #closed = false;
  #ending = false;

  constructor(options: LineChannelOptions) {
    this.#options = options;
    this.#lineLimit = options.lineLimit ?? DEFAULT_LINE_LIMIT;
  }

  open(receiver: ChannelReceiver): void {
    const { input, output } = this.#options;
    this.#receiver = receiver;
    const sink = {
      line: (bytes: Buffer) => this.#onLine(bytes),
      overflow: (line: OversizedLine) => this.#onOverflow(line),
    };
    input.on('data', createLineReader(this.#lineLimit, sink));
    const ended = () => this.#endByItself({ kind: 'closed', message: 'the other side closed its output' });
    input.on('end', ended);
    // `close` without `end` comes from a stream that was destroyed rather than read to its end.
    input.on('close', ended);
    input.on('error', (error) => this.#endByItself(toFailure('reading', error)));
    output.on('error', (error) => this.#endByItself(toFailure('writing', error)));
  }

  send(message: Message): void {
    if (this.#closed) return;
    const { output } = this.#options;
    if (output.writable)
      output.write(`${JSON.stringify(message)}\n`, (error) => this.#onWritten(message, error));
    else this.#onWritten(message, new Error('its input is closed'));
  }

  async close(): Promise<void> {
    this.#end({ kind: 'closed', message: 'the link was closed' });
    this.#options.output.end();
    await this.#options.onClose?.();
  }

  #onLine(bytes: Buffer): void {
    let value: unknown;
    try {
      value = JSON.parse(this.#decoder.decode(bytes));
    } catch {
      if (!isBlank(bytes)) this.#options.onNoise?.({ kind: 'not-json', bytes: bytes.length, id: undefined });
      return;
    }
    const message = parseMessage(value);
    if (message) this.#receiver?.message(message);
    else this.#options.onNoise?.({ kind: 'not-a-message', bytes: bytes.length, id: idOf(value) });
  }

  #onOverflow(line: OversizedLine): void {
    const kind = readOversized(line);
    const id = kind.is === 'answer' ? kind.id : undefined;
    this.#options.onNoise?.({ kind: 'too-long', bytes: line.bytes, id });
    if (kind.is === 'answer') this.#receiver?.failed(id, toTooLongError(line.bytes, this.#lineLimit));
  }

  #onWritten(message: Message, error: Error | null | undefined): void {
    // A line whose write failed was never complete at the other side, so nothing there acted on it.
    if (error && isRequest(message)) this.#receiver?.failed(message.id, toWriteError(error));
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

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 32 || byte === 13 || byte === 9);
}

function idOf(value: unknown): RequestId | undefined {
  const id = (value as { id?: unknown } | null)?.id;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

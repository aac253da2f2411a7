/** Carries a client's lines to whoever runs the servers, and on to the next one when that process ends. */
import type { Duplex, Readable, Writable } from 'node:stream';
import { GatewayError } from '../../errors/gateway-error.ts';
import { toWireError } from '../../errors/to-wire.ts';
import { DRAIN_MS } from '../../transport/limits.ts';
import { RECEIVED } from '../../transport/stdio.ts';
import { DEFAULT_LINE_LIMIT } from '../../wire/line-channel.ts';
import { createLineReader } from '../../wire/line-reader.ts';
import { isRequest, type Message, parseMessage, type RequestId } from '../../wire/message.ts';
import { createMemory } from './conversation-memory.ts';

/** What a relay connects. */
export interface RelayParts {
  readonly input: Readable;
  readonly output: Writable;
  /** Finds whoever runs the servers now, or takes their place. */
  connect(): Promise<Duplex>;
}

/** What waits for an answer. */
interface Pending {
  readonly method: string;
  readonly line: Buffer;
  /** Its place among the lines written to the link; undefined while it is not. */
  seq: number | undefined;
  /** How much had come from the link when it was written. */
  heard: number;
}

/** Answers are written by us, so that their beginning has one form. */
const ANSWER = /^\{"jsonrpc":"2\.0","id":(-?\d+|"(?:[^"\\]|\\.)*"),"(?:result|error)":/;
const RECEIVED_LINE = new RegExp(
  `^\\{"jsonrpc":"2\\.0","method":"${RECEIVED.replace('$', '\\$')}","params":\\{"count":(\\d+)`,
);
const HEAD_BYTES = 2_000;
/** What a client may say while nobody is there to hear it. */
const MAX_QUEUED_BYTES = 32 * 1_024 * 1_024;

/** A relay at work. */
export interface Relaying {
  /** Resolves when the client has closed its end; rejects when nobody can be found any more. */
  readonly closed: Promise<void>;
  /** Lets what is under way finish for a while, then ends. */
  stop(): Promise<void>;
}

/** Starts to relay over a link that is open already. */
export function openRelay(parts: RelayParts, first: Duplex): Relaying {
  return new Relay(parts, first);
}

class Relay implements Relaying {
  readonly closed: Promise<void>;
  readonly #parts: RelayParts;
  #done = () => {};
  #fail = (_error: unknown) => {};
  #quiet: (() => void) | undefined;
  readonly #memory = createMemory();
  readonly #pending = new Map<RequestId, Pending>();
  #link: Duplex | undefined;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #ended = false;
  /** Lines written to the link, and how many of them it said it has. */
  #written = 0;
  #received = 0;
  /** Lines that came from links. */
  #heard = 0;

  constructor(parts: RelayParts, first: Duplex) {
    this.#parts = parts;
    this.closed = new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#fail = reject;
    });
    const { input } = parts;
    const read = createLineReader(DEFAULT_LINE_LIMIT, {
      line: (bytes) => this.#fromClient(Buffer.from(bytes)),
      overflow: ({ bytes }) => this.#answer(null, toTooLong(bytes)),
    });
    input.on('data', read);
    input.on('end', () => this.#end());
    input.on('close', () => this.#end());
    this.#use(first, new Set());
  }

  async stop(): Promise<void> {
    if (!this.#ended && this.#pending.size > 0) {
      await new Promise<void>((resolve) => {
        this.#quiet = resolve;
        setTimeout(resolve, DRAIN_MS).unref();
      });
    }
    this.#end();
    this.#link?.destroy();
    await this.closed;
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#link) this.#link.end();
    else this.#done();
  }

  #fromClient(line: Buffer): void {
    const message = parse(line);
    if (message) this.#memory.hear(message);
    const pending =
      message && isRequest(message) ? { method: message.method, line, seq: undefined, heard: 0 } : undefined;
    if (message && isRequest(message) && pending) this.#pending.set(message.id, pending);
    if (this.#link) this.#write(this.#link, line, pending);
    else this.#enqueue(line, message && isRequest(message) ? message.id : undefined);
  }

  #enqueue(line: Buffer, id: RequestId | undefined): void {
    if (this.#queuedBytes + line.length <= MAX_QUEUED_BYTES) {
      this.#queuedBytes += line.length;
      this.#queue.push(line);
    } else if (id !== undefined) {
      this.#answer(
        id,
        new GatewayError('TOO_BUSY', 'too much waits for another process to take over; try again'),
      );
    }
  }

  #write(link: Duplex, line: Buffer, pending?: Pending): void {
    this.#written += 1;
    if (pending) Object.assign(pending, { seq: this.#written, heard: this.#heard });
    link.write(line);
    if (link.write('\n')) return;
    const { input } = this.#parts;
    input.pause();
    link.once('drain', () => input.resume());
  }

  /** Listens to a link; answers to what was only said again for it are not for the client. */
  #use(link: Duplex, replays: Set<RequestId>): void {
    this.#link = link;
    const { output } = this.#parts;
    const read = createLineReader(DEFAULT_LINE_LIMIT, {
      line: (bytes) => {
        this.#heard += 1;
        const received = receivedCount(bytes);
        if (received !== undefined) {
          this.#received = received;
          return;
        }
        const id = answeredId(bytes);
        if (id !== undefined && replays.delete(id)) return;
        output.write(bytes);
        const drained = output.write('\n');
        if (id !== undefined) this.#settle(id);
        if (drained) return;
        link.pause();
        output.once('drain', () => link.resume());
      },
      overflow: () => {},
    });
    // A link that was greeted stands still until somebody listens.
    link.on('data', read).resume();
    link.on('error', () => link.destroy());
    link.on('close', () => {
      if (this.#link !== link) return;
      this.#link = undefined;
      this.#parts.input.resume();
      if (this.#ended) this.#done();
      else void this.#move().catch(this.#fail);
    });
  }

  #settle(id: RequestId): void {
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#quiet?.();
  }

  /** The process is gone: what may have been acted on is answered, the rest is said again to the next one. */
  async #move(): Promise<void> {
    for (const [id, pending] of [...this.#pending]) if (this.#mayHaveRun(pending)) this.#refuse(id);
    const waiting = [...this.#pending.values()].filter(({ seq }) => seq !== undefined);
    const again = waiting.filter(({ method }) => method !== 'initialize');
    const opening = waiting.find(({ method }) => method === 'initialize');
    this.#queue = [...again.map(({ line }) => line), ...this.#queue];
    const link = await this.#parts.connect();
    const replays = new Set<RequestId>();
    this.#written = 0;
    this.#received = 0;
    if (opening) this.#write(link, opening.line);
    for (const { line, id } of this.#memory.replay(opening !== undefined)) {
      if (id !== undefined) replays.add(id);
      this.#write(link, line);
    }
    this.#use(link, replays);
    const byLine = new Map([...this.#pending.values()].map((pending) => [pending.line, pending]));
    for (const line of this.#queue.splice(0)) this.#write(link, line, byLine.get(line));
    this.#queuedBytes = 0;
    if (this.#ended) link.end();
  }

  /**
   * A call that arrived may have been acted on. One after which nothing at all came, not even that it arrived, did
   * not reach anybody; it can be said again, as can whatever only reads.
   */
  #mayHaveRun({ method, seq, heard }: Pending): boolean {
    if (method !== 'tools/call' || seq === undefined) return false;
    return seq <= this.#received || heard !== this.#heard;
  }

  #refuse(id: RequestId): void {
    this.#answer(
      id,
      new GatewayError(
        'UPSTREAM_EXITED',
        'the process that ran this call ended before it was answered; look whether it had an effect, then call again',
      ),
    );
  }

  #answer(id: RequestId | null, error: GatewayError): void {
    this.#parts.output.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: toWireError(error) })}\n`);
    if (id !== null) this.#settle(id);
  }
}

function parse(line: Buffer): Message | undefined {
  try {
    return parseMessage(JSON.parse(line.toString('utf8')));
  } catch {
    return undefined;
  }
}

function answeredId(line: Buffer): RequestId | undefined {
  const [, id] = ANSWER.exec(line.subarray(0, HEAD_BYTES).toString('utf8')) ?? [];
  return id === undefined ? undefined : (JSON.parse(id) as RequestId);
}

function toTooLong(bytes: number): GatewayError {
  return new GatewayError('BODY_TOO_LARGE', `a line of ${bytes} bytes is over the limit; send less at once`);
}

function receivedCount(line: Buffer): number | undefined {
  const [, count] = RECEIVED_LINE.exec(line.subarray(0, HEAD_BYTES).toString('latin1')) ?? [];
  return count === undefined ? undefined : Number(count);
}

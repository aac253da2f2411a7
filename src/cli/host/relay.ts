/** Carries a client's lines to whoever runs the servers, and on to the next one when that process ends. */
import type { Duplex, Readable, Writable } from 'node:stream';
import { GatewayError } from '../../errors/gateway-error.ts';
import { toWireError } from '../../errors/to-wire.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { LISTEN } from '../../model/mcp.ts';
import { toCutError, toStoppingError } from '../../transport/calls.ts';
import { toListenEnd } from '../../transport/era.ts';
import { DRAIN_MS } from '../../transport/limits.ts';
import { DEFAULT_LINE_LIMIT } from '../../wire/line-channel.ts';
import { createLineReader } from '../../wire/line-reader.ts';
import { isRequest, type Message, parseMessage, type RequestId } from '../../wire/message.ts';
import { type ConversationMemory, createMemory } from './conversation-memory.ts';
import { isReceipt } from './received.ts';
import type { SwitchNames } from './switches.ts';

/** What a relay connects. */
export interface RelayParts {
  readonly input: Readable;
  readonly output: Writable;
  /** Finds whoever runs the servers now, or takes their place. */
  connect(): Promise<Duplex>;
  /** The tools by which the client changes what it is shown, if there are any. */
  readonly switches?: SwitchNames | undefined;
  readonly clock?: Clock;
}

/** What waits for an answer. */
interface Pending {
  readonly method: string;
  readonly line: Buffer;
  /** How much had come from the link when it was written; undefined while it is not. */
  heard: number | undefined;
  /** True once all of it has left this process. */
  isOut: boolean;
}

/** Answers are written by us, so that their beginning has one form. */
const ANSWER = /^\{"jsonrpc":"2\.0","id":(-?\d+|"(?:[^"\\]|\\.)*"),"(?:result|error)":/;
const HEAD_BYTES = 2_000;
/** What a client may say while nobody is there to hear it. */
const MAX_QUEUED_BYTES = 32 * 1_024 * 1_024;

/** A relay at work. */
export interface Relaying {
  /** Resolves when the client has closed its end; rejects when nobody can be found any more. */
  readonly closed: Promise<void>;
  /** Takes no more, lets what is under way finish for a while, answers the rest itself, and ends. */
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
  readonly #memory: ConversationMemory;
  readonly #pending = new Map<RequestId, Pending>();
  /** Answers to what was said again that come before the client is heard. */
  readonly #awaited = new Set<RequestId>();
  #link: Duplex | undefined;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #stopping = false;
  #ended = false;
  /** How often something came from links, be it part of a line. */
  #heard = 0;

  constructor(parts: RelayParts, first: Duplex) {
    this.#parts = parts;
    this.#memory = createMemory(parts.switches);
    this.closed = new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#fail = reject;
    });
    const { input, output } = parts;
    const read = createLineReader(DEFAULT_LINE_LIMIT, {
      line: (bytes) => this.#fromClient(Buffer.from(bytes)),
      overflow: ({ bytes }) => this.#answer(null, toTooLong(bytes)),
    });
    input.on('data', read);
    input.on('end', () => this.#end());
    input.on('close', () => this.#end());
    output.on('drain', () => this.#link?.resume());
    this.#use(first, new Set());
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    if (!this.#ended && this.#isBusy) {
      const { clock = systemClock } = this.#parts;
      await new Promise<void>((resolve) => {
        const cancel = clock.after(DRAIN_MS, resolve);
        this.#quiet = () => {
          cancel();
          resolve();
        };
      });
    }
    for (const [id, pending] of [...this.#pending]) this.#cut(id, pending);
    this.#end();
    this.#link?.destroy();
    await this.closed;
  }

  /** A subscription is no call: a stop does not wait for its end. */
  get #isBusy(): boolean {
    return [...this.#pending.values()].some(({ method }) => method !== LISTEN);
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (!this.#link) this.#done();
    else if (this.#awaited.size === 0) this.#link.end();
  }

  #fromClient(line: Buffer): void {
    const message = parse(line);
    const request = message && isRequest(message) ? message : undefined;
    if (this.#stopping && request) {
      this.#answer(request.id, toStoppingError());
      return;
    }
    if (message) this.#memory.hear(message);
    const pending = request && { method: request.method, line, heard: undefined, isOut: false };
    if (request && pending) this.#pending.set(request.id, pending);
    if (this.#link && this.#awaited.size === 0) this.#write(this.#link, line, pending);
    else this.#enqueue(line, request?.id);
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
    if (pending) Object.assign(pending, { heard: this.#heard, isOut: false });
    link.write(line);
    const hasRoom = link.write('\n', (error) => {
      if (pending && !error) pending.isOut = true;
    });
    if (!hasRoom) this.#parts.input.pause();
  }

  /** Listens to a link; answers to what was only said again for it are not for the client. */
  #use(link: Duplex, replays: Set<RequestId>): void {
    this.#link = link;
    let isTorn = false;
    // Whoever runs the servers bounds what it says; a bound of ours would only take away what it lets pass.
    const read = createLineReader(Number.POSITIVE_INFINITY, {
      line: (bytes) => this.#fromLink(link, [bytes], replays),
      longLine: (pieces) => this.#fromLink(link, pieces, replays),
      overflow: () => {},
    });
    link.on('data', (chunk: Buffer) => {
      this.#heard += 1;
      read(chunk);
    });
    link.on('drain', () => this.#parts.input.resume());
    link.on('error', (error: NodeJS.ErrnoException) => {
      // What had come before reading failed was read; a failed write takes it away unread.
      isTorn = error.syscall !== 'read';
      link.destroy();
    });
    const onClose = () => {
      if (this.#link !== link) return;
      this.#link = undefined;
      this.#parts.input.resume();
      if (this.#ended) this.#done();
      else void this.#move(isTorn).catch(this.#fail);
    };
    link.on('close', onClose);
    // One that ended between its welcome and now does not say so again.
    if (link.closed) setImmediate(onClose);
    // A link that was greeted stands still until somebody listens.
    link.resume();
  }

  #fromLink(link: Duplex, pieces: readonly Buffer[], replays: Set<RequestId>): void {
    const head = toHead(pieces);
    if (isReceipt(head)) return;
    const id = answeredId(head);
    if (id !== undefined && replays.delete(id)) {
      if (this.#awaited.delete(id) && this.#awaited.size === 0) this.#flush(link);
      return;
    }
    const { output } = this.#parts;
    for (const piece of pieces) output.write(piece);
    if (!output.write('\n')) link.pause();
    if (id !== undefined) this.#settle(id);
  }

  #settle(id: RequestId): void {
    this.#pending.delete(id);
    if (this.#quiet && !this.#isBusy) this.#quiet();
  }

  /** The process is gone: what may have been acted on is answered, the rest is said again to the next one. */
  async #move(isTorn: boolean): Promise<void> {
    for (const [id, pending] of [...this.#pending])
      if (this.#mayHaveRun(pending, isTorn)) this.#answer(id, toExitError());
    const waiting = [...this.#pending.values()].filter(({ heard }) => heard !== undefined);
    const again = waiting.filter(({ method }) => method !== 'initialize');
    const opening = waiting.find(({ method }) => method === 'initialize');
    this.#queue = [...again.map(({ line }) => line), ...this.#queue];
    for (const pending of again) pending.heard = undefined;
    this.#awaited.clear();
    const link = await this.#parts.connect();
    const replays = new Set<RequestId>();
    if (opening) this.#write(link, opening.line);
    for (const { line, id, isFirst } of this.#memory.replay(opening !== undefined)) {
      if (id !== undefined) replays.add(id);
      if (id !== undefined && isFirst) this.#awaited.add(id);
      this.#write(link, line);
    }
    this.#use(link, replays);
    if (this.#awaited.size === 0) this.#flush(link);
  }

  /** The next process has taken the conversation up: what has waited for that goes there. */
  #flush(link: Duplex): void {
    const byLine = new Map([...this.#pending.values()].map((pending) => [pending.line, pending]));
    for (const line of this.#queue.splice(0)) this.#write(link, line, byLine.get(line));
    this.#queuedBytes = 0;
    if (this.#ended) link.end();
  }

  /**
   * A call that arrived may have been acted on. One after which nothing at all came, not even that it arrived, did
   * not reach anybody; it can be said again, as can whatever only reads. Where something may have come unread, only
   * one that never went out can.
   */
  #mayHaveRun({ method, heard, isOut }: Pending, isTorn: boolean): boolean {
    if (method !== 'tools/call' || heard === undefined) return false;
    return heard !== this.#heard || (isTorn && isOut);
  }

  #cut(id: RequestId, { method, heard }: Pending): void {
    if (method !== LISTEN) this.#answer(id, heard === undefined ? toStoppingError() : toCutError());
    else this.#parts.output.write(`${JSON.stringify(toListenEnd(id))}\n`);
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

function toHead(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces;
  return pieces.length === 1 && first ? first.subarray(0, HEAD_BYTES) : Buffer.concat(pieces, HEAD_BYTES);
}

function answeredId(head: Buffer): RequestId | undefined {
  const [, id] = ANSWER.exec(head.toString('utf8')) ?? [];
  return id === undefined ? undefined : (JSON.parse(id) as RequestId);
}

function toTooLong(bytes: number): GatewayError {
  return new GatewayError('BODY_TOO_LARGE', `a line of ${bytes} bytes is over the limit; send less at once`);
}

function toExitError(): GatewayError {
  return new GatewayError(
    'UPSTREAM_EXITED',
    'the process that ran this call ended before it was answered; look whether it had an effect, then call again',
  );
}

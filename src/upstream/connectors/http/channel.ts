/** A channel over Streamable HTTP: each message is a POST, its answer a body or a stream of events. */
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../../errors/gateway-error.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Channel, ChannelReceiver, CloseReason, Route } from '../../../wire/channel.ts';
import {
  isRequest,
  isResponse,
  type Message,
  type RequestId,
  type RequestMessage,
} from '../../../wire/message.ts';
import { isUnsent, toUnsentError } from '../../../wire/unsent.ts';
import { createAuthorisedDialer, hasLoginEnded } from '../../http/authorised-dialer.ts';
import type { HttpChannelOptions } from '../../http/channel-options.ts';
import { type Dialer, readBody, toStatusError } from '../../http/dial.ts';
import { isEventStream, parseMessages } from '../../http/event-stream.ts';
import { createSseChannel } from '../../http/sse-channel.ts';
import { settlesWithin } from '../../within.ts';
import { readAnswerStream } from './answer-stream.ts';
import { type LegacySession, modernVersionOf, toPostHeaders, toSessionHeaders } from './message-headers.ts';
import { createNewsStream } from './news-stream.ts';

/** Where to dial, and the clock for waiting between attempts. */
export interface StreamableOptions extends HttpChannelOptions {
  readonly clock: Clock;
}

const ERROR_BODY_BYTES = 1024 * 1024;
const DELETE_MS = 1_000;
const SESSION_ENDED: CloseReason = { kind: 'closed', message: 'the server ended the session' };
/** What a server that only knows the old HTTP+SSE pair answers to a POST. */
const OLD_SERVER: ReadonlySet<number> = new Set([400, 404, 405]);

/** Creates the channel; nothing is dialled before the first message. */
export function createHttpChannel(options: StreamableOptions): Channel {
  return new HttpChannel(options);
}

/** One request that waits for its answer. */
interface Running {
  readonly abort: AbortController;
  readonly modern: boolean;
  /** False while it waits for what must reach the server first. */
  sent: boolean;
}

class HttpChannel implements Channel {
  readonly #options: StreamableOptions;
  readonly #dialer: Dialer;
  readonly #stop = new AbortController();
  readonly #running = new Map<RequestId, Running>();
  /** One for each POST; `AbortSignal.any` over a long-lived signal leaks in Node 20. */
  readonly #aborts = new Set<AbortController>();
  #receiver: ChannelReceiver | undefined;
  #session: LegacySession = { id: undefined, version: undefined };
  /** Holds back what follows `notifications/initialized` until the server has it. */
  #ready: Promise<void> | undefined;
  #old: Channel | undefined;

  constructor(options: StreamableOptions) {
    this.#options = options;
    this.#dialer = createAuthorisedDialer(options.credentials);
  }

  open(receiver: ChannelReceiver): void {
    this.#receiver = receiver;
  }

  send(message: Message, route?: Route): void {
    if (this.#stop.signal.aborted) return;
    if (this.#old) {
      this.#old.send(message, route);
      return;
    }
    const sent = this.#post(message, route);
    if ('method' in message && message.method === 'notifications/initialized')
      this.#ready = sent.then(() => this.#listenForNews());
  }

  abandon(id: RequestId): boolean {
    if (this.#old) return this.#old.abandon?.(id) === true;
    const running = this.#running.get(id);
    this.#running.delete(id);
    running?.abort.abort();
    // Only a modern server takes a closed stream for a cancellation.
    return running?.modern === true;
  }

  agreed(protocolVersion: string): void {
    this.#session = { ...this.#session, version: protocolVersion };
    this.#old?.agreed?.(protocolVersion);
  }

  async close(): Promise<void> {
    const wasOpen = !this.#stop.signal.aborted;
    const { id } = this.#session;
    if (wasOpen && id !== undefined) await this.#endSession();
    this.#end({ kind: 'closed', message: 'the link was closed' });
    await this.#old?.close();
  }

  async #endSession(): Promise<void> {
    const abort = new AbortController();
    const { url, headers, clock } = this.#options;
    const told = this.#dialer
      .send({
        method: 'DELETE',
        url,
        headers: { ...headers, ...toSessionHeaders(this.#session) },
        signal: abort.signal,
      })
      .then((response) => response.resume());
    if (!(await settlesWithin(told, DELETE_MS, clock))) abort.abort();
  }

  async #post(message: Message, route: Route | undefined): Promise<void> {
    const request = isRequest(message) ? message : undefined;
    const abort = new AbortController();
    const modern = modernVersionOf(message) !== undefined;
    const running: Running = { abort, modern, sent: false };
    this.#aborts.add(abort);
    if (request) this.#running.set(request.id, running);
    try {
      if (this.#ready) await this.#ready;
      running.sent = true;
      const response = await this.#dialer.send({
        method: 'POST',
        url: this.#options.url,
        headers: { ...this.#options.headers, ...route?.headers, ...toPostHeaders(message, this.#session) },
        body: JSON.stringify(message),
        signal: abort.signal,
      });
      await this.#take(response, request, abort.signal);
    } catch (error) {
      if (!abort.signal.aborted) this.#fail(request, error as Error);
    } finally {
      this.#aborts.delete(abort);
      if (request && this.#running.get(request.id)?.abort === abort) this.#running.delete(request.id);
    }
  }

  #fail(request: RequestMessage | undefined, thrown: Error): void {
    const error =
      thrown instanceof GatewayError
        ? thrown
        : new GatewayError('UPSTREAM_UNAVAILABLE', 'the answer broke off', { cause: thrown });
    if (request) this.#receiver?.failed(request.id, error);
    const isOver = isUnsent(error) || (hasLoginEnded(error) && this.#running.size <= 1);
    if (isOver) this.#end({ kind: 'failed', message: error.message });
  }

  async #take(
    response: IncomingMessage,
    request: RequestMessage | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const status = response.statusCode ?? 0;
    if (status >= 300 || status < 200) return this.#takeRefusal(response, request);
    if (request === undefined) {
      response.resume();
      return;
    }
    const session = response.headers['mcp-session-id'];
    if (request.method === 'initialize' && typeof session === 'string')
      this.#session = { ...this.#session, id: session };
    if (!isEventStream(response)) return this.#takeBody(response, request);
    await readAnswerStream(response, request, {
      options: this.#options,
      dialer: this.#dialer,
      signal,
      resumable: modernVersionOf(request) === undefined ? () => toSessionHeaders(this.#session) : undefined,
      deliver: (message) => this.#deliver(message, request.id),
    });
  }

  #deliver(message: Message, to: RequestId): void {
    // Its stream may stay open for a while yet; the request itself is over.
    if (isResponse(message) && message.id === to) this.#running.delete(to);
    this.#receiver?.message(message, to);
  }

  async #takeBody(response: IncomingMessage, request: RequestMessage): Promise<void> {
    const messages = parseMessages(await readBody(response, this.#options.limitBytes));
    if (!messages?.some((message) => isResponse(message) && message.id === request.id))
      throw new GatewayError(
        'UPSTREAM_PROTOCOL',
        `answered ${request.method} with something else than its answer`,
      );
    for (const message of messages) this.#receiver?.message(message, request.id);
  }

  async #takeRefusal(response: IncomingMessage, request: RequestMessage | undefined): Promise<void> {
    const { url } = this.#options;
    const status = response.statusCode ?? 0;
    const refusal = toStatusError(response, url);
    // The status says enough where the page beside it is too long or breaks off.
    const text = await readBody(response, ERROR_BODY_BYTES).catch(() => '');
    if (status === 404 && this.#session.id !== undefined) return this.#loseSession(request, refusal);
    if (refusal.code === 'UPSTREAM_AUTH') throw refusal;
    const [answer] = parseMessages(text) ?? [];
    if (request && answer && isResponse(answer) && answer.error)
      return this.#receiver?.message({ ...answer, id: request.id }, request.id);
    if (request?.method === 'initialize' && OLD_SERVER.has(status)) return this.#turnOld(request);
    throw refusal;
  }

  #loseSession(request: RequestMessage | undefined, refusal: GatewayError): void {
    // The server did not look at the request, so it may be sent again in a new session.
    if (request) this.#receiver?.failed(request.id, toUnsentError(refusal));
    this.#end(SESSION_ENDED);
  }

  #turnOld(request: RequestMessage): void {
    const old = createSseChannel(this.#options);
    this.#old = old;
    old.open({
      message: (message, origin) => this.#receiver?.message(message, origin),
      failed: (id, error) => this.#receiver?.failed(id, error),
      closed: (reason) => this.#end(reason),
    });
    old.send(request);
  }

  #listenForNews(): void {
    if (this.#stop.signal.aborted || this.#session.version === undefined) return;
    createNewsStream({
      options: this.#options,
      dialer: this.#dialer,
      signal: this.#stop.signal,
      headers: () => toSessionHeaders(this.#session),
      deliver: (message) => this.#receiver?.message(message),
      lost: () => this.#loseNews(),
      gone: ({ message }) => this.#end({ kind: 'failed', message }),
    });
  }

  #loseNews(): void {
    // Requests in flight will hear the same, and then know that the server did not look at them.
    if (this.#session.id === undefined || this.#running.size > 0) return;
    this.#end(SESSION_ENDED);
  }

  #end(reason: CloseReason): void {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    this.#dialer.close();
    const unsent = toUnsentError(new GatewayError('UPSTREAM_UNAVAILABLE', reason.message));
    for (const [id, { sent }] of this.#running) if (!sent) this.#receiver?.failed(id, unsent);
    for (const abort of this.#aborts) abort.abort();
    this.#receiver?.closed(reason);
  }
}

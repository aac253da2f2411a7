/** The HTTP+SSE pair of revision 2024-11-05: one stream for what comes in, one POST for each message out. */
import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../errors/gateway-error.ts';
import type { Channel, ChannelReceiver, CloseReason } from '../../wire/channel.ts';
import { toTooLongError } from '../../wire/line-channel.ts';
import { isRequest, isResponse, type Message, type RequestId } from '../../wire/message.ts';
import type { SseEvent } from '../../wire/sse-parser.ts';
import { isUnsent } from '../../wire/unsent.ts';
import { createDeferred } from '../deferred.ts';
import { createAuthorisedDialer, hasLoginEnded } from './authorised-dialer.ts';
import type { HttpChannelOptions } from './channel-options.ts';
import { type Dialer, toPublicUrl, toStatusError } from './dial.ts';
import { isEventStream, parseMessages, readEvents } from './event-stream.ts';

/** Creates the channel; it dials when it is opened. */
export function createSseChannel(options: HttpChannelOptions): Channel {
  return new SseChannel(options);
}

class SseChannel implements Channel {
  readonly #options: HttpChannelOptions;
  readonly #dialer: Dialer;
  readonly #stop = new AbortController();
  readonly #endpoint = createDeferred<URL>();
  /** Requests that were not answered yet. */
  readonly #running = new Set<RequestId>();
  #receiver: ChannelReceiver | undefined;
  #version: string | undefined;

  constructor(options: HttpChannelOptions) {
    this.#options = options;
    this.#dialer = createAuthorisedDialer(options.credentials);
    // Every request in flight listens to it.
    setMaxListeners(0, this.#stop.signal);
    // Nobody may be waiting for the address when the stream fails; the receiver is told anyway.
    this.#endpoint.promise.catch(() => {});
  }

  open(receiver: ChannelReceiver): void {
    this.#receiver = receiver;
    void this.#listen();
  }

  send(message: Message): void {
    if (isRequest(message)) this.#running.add(message.id);
    this.#post(message).catch((error: Error) => {
      if (this.#stop.signal.aborted) return;
      if (isRequest(message)) {
        this.#running.delete(message.id);
        this.#receiver?.failed(message.id, error);
      }
      const isOver = isUnsent(error) || (hasLoginEnded(error) && this.#running.size === 0);
      if (isOver) this.#end({ kind: 'failed', message: error.message });
    });
  }

  abandon(id: RequestId): boolean {
    this.#running.delete(id);
    return false;
  }

  agreed(protocolVersion: string): void {
    this.#version = protocolVersion;
  }

  async close(): Promise<void> {
    this.#end({ kind: 'closed', message: 'the link was closed' });
  }

  async #listen(): Promise<void> {
    const { url, limitBytes } = this.#options;
    const headers = { ...this.#options.headers, Accept: 'text/event-stream' };
    try {
      const response = await this.#dialer.send({ method: 'GET', url, headers, signal: this.#stop.signal });
      if (response.statusCode !== 200) throw refuse(response, url);
      if (!isEventStream(response)) {
        response.destroy();
        throw new GatewayError('UPSTREAM_PROTOCOL', `${toPublicUrl(url)} answered GET without a stream`);
      }
      await readEvents(response, limitBytes, {
        event: (event) => this.#onEvent(event),
        overflow: (bytes) => this.#receiver?.failed(undefined, toTooLongError(bytes, limitBytes)),
      });
      throw new GatewayError('UPSTREAM_UNAVAILABLE', `the stream from ${toPublicUrl(url)} ended`);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#fail(error as GatewayError);
    }
  }

  #onEvent({ event, data }: SseEvent): void {
    const { url } = this.#options;
    if (event === 'message') for (const message of parseMessages(data) ?? []) this.#onMessage(message);
    if (event !== 'endpoint') return;
    const target = URL.canParse(data, url.href) ? new URL(data, url) : undefined;
    if (target?.origin === url.origin) this.#endpoint.resolve(target);
    else
      this.#fail(
        new GatewayError(
          'UPSTREAM_PROTOCOL',
          `${toPublicUrl(url)} names an endpoint at another origin, where our headers must not go; configure the URL of that origin`,
        ),
      );
  }

  #onMessage(message: Message): void {
    if (isResponse(message) && message.id !== undefined && message.id !== null)
      this.#running.delete(message.id);
    this.#receiver?.message(message);
  }

  async #post(message: Message): Promise<void> {
    const url = await this.#endpoint.promise;
    const version = this.#version === undefined ? {} : { 'MCP-Protocol-Version': this.#version };
    const response = await this.#dialer.send({
      method: 'POST',
      url,
      headers: { ...this.#options.headers, ...version, 'Content-Type': 'application/json' },
      body: JSON.stringify(message),
      signal: this.#stop.signal,
    });
    if ((response.statusCode ?? 0) >= 400) throw refuse(response, url);
    response.resume();
  }

  #fail(error: GatewayError): void {
    this.#endpoint.reject(error);
    this.#receiver?.failed(undefined, error);
    this.#end({ kind: 'failed', message: error.message });
  }

  #end(reason: CloseReason): void {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    this.#dialer.close();
    this.#receiver?.closed(reason);
  }
}

function refuse(response: IncomingMessage, url: URL): GatewayError {
  response.resume();
  return toStatusError(response, url);
}

/** The HTTP+SSE pair of revision 2024-11-05: one stream for what comes in, one POST for each message out. */
import { setMaxListeners } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../errors/gateway-error.ts';
import type { Channel, ChannelReceiver, CloseReason } from '../wire/channel.ts';
import { toTooLongError } from '../wire/line-channel.ts';
import { isRequest, type Message } from '../wire/message.ts';
import type { SseEvent } from '../wire/sse-parser.ts';
import { isUnsent } from '../wire/unsent.ts';
import { createDeferred } from './deferred.ts';
import { isEventStream, parseMessages, readEvents } from './event-stream.ts';
import { createDialer, toPublicUrl, toStatusError } from './http-dial.ts';
import type { Headers } from './upstream.ts';

/** Where an HTTP channel dials. */
export interface HttpChannelOptions {
  readonly url: URL;
  readonly headers: Headers;
  readonly limitBytes: number;
}

/** Creates the channel; it dials when it is opened. */
export function createSseChannel(options: HttpChannelOptions): Channel {
  const { url, limitBytes } = options;
  const dialer = createDialer();
  const stop = new AbortController();
  // Every request in flight listens to it.
  setMaxListeners(0, stop.signal);
  const endpoint = createDeferred<URL>();
  // Nobody may be waiting for the address when the stream fails; the receiver is told anyway.
  endpoint.promise.catch(() => {});
  let receiver: ChannelReceiver | undefined;
  let version: string | undefined;

  function end(reason: CloseReason): void {
    if (stop.signal.aborted) return;
    stop.abort();
    dialer.close();
    receiver?.closed(reason);
  }

  function fail(error: GatewayError): void {
    endpoint.reject(error);
    receiver?.failed(undefined, error);
    end({ kind: 'failed', message: error.message });
  }

  function onEvent({ event, data }: SseEvent): void {
    if (event === 'endpoint') {
      const target = URL.canParse(data, url.href) ? new URL(data, url) : undefined;
      if (target?.origin === url.origin) endpoint.resolve(target);
      else
        fail(
          new GatewayError('UPSTREAM_PROTOCOL', `${toPublicUrl(url)} names an endpoint at another origin`),
        );
      return;
    }
    if (event === 'message') for (const message of parseMessages(data) ?? []) receiver?.message(message);
  }

  async function listen(): Promise<void> {
    const headers = { ...options.headers, Accept: 'text/event-stream' };
    try {
      const response = await dialer.send({ method: 'GET', url, headers, signal: stop.signal });
      if (response.statusCode !== 200) return fail(refuse(response, url));
      if (!isEventStream(response)) {
        response.destroy();
        return fail(
          new GatewayError('UPSTREAM_PROTOCOL', `${toPublicUrl(url)} answered GET without a stream`),
        );
      }
      const overflow = (bytes: number) => receiver?.failed(undefined, toTooLongError(bytes, limitBytes));
      await readEvents(response, limitBytes, { event: onEvent, overflow });
      fail(new GatewayError('UPSTREAM_UNAVAILABLE', `the stream from ${toPublicUrl(url)} ended`));
    } catch (error) {
      if (!stop.signal.aborted) fail(error as GatewayError);
    }
  }

  async function post(message: Message): Promise<void> {
    const target = await endpoint.promise;
    const response = await dialer.send({
      method: 'POST',
      url: target,
      headers: {
        ...options.headers,
        'Content-Type': 'application/json',
        ...(version === undefined ? {} : { 'MCP-Protocol-Version': version }),
      },
      body: JSON.stringify(message),
      signal: stop.signal,
    });
    if ((response.statusCode ?? 0) >= 400) throw refuse(response, target);
    response.resume();
  }

  return {
    open(next) {
      receiver = next;
      void listen();
    },
    send(message) {
      post(message).catch((error: Error) => {
        if (stop.signal.aborted) return;
        if (isRequest(message)) receiver?.failed(message.id, error);
        if (isUnsent(error)) end({ kind: 'failed', message: error.message });
      });
    },
    agreed(protocolVersion) {
      version = protocolVersion;
    },
    async close() {
      end({ kind: 'closed', message: 'the link was closed' });
    },
  };
}

function refuse(response: IncomingMessage, url: URL): GatewayError {
  response.resume();
  return toStatusError(response, url);
}

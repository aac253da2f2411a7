/** Keeps the GET stream of a legacy session open, on which the server sends what answers no request. */
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../../errors/gateway-error.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Message } from '../../../wire/message.ts';
import { isUnsent } from '../../../wire/unsent.ts';
import { toBackoffMs } from '../../backoff.ts';
import type { Dialer } from '../../http/dial.ts';
import { isEventStream, parseMessages, readEvents } from '../../http/event-stream.ts';
import type { HttpChannelOptions } from '../../http/sse-channel.ts';
import type { Headers } from '../../upstream.ts';
import { pause } from '../../within.ts';

/** What the stream needs of its channel. */
export interface NewsPorts {
  readonly options: HttpChannelOptions & { readonly clock: Clock };
  readonly dialer: Dialer;
  readonly signal: AbortSignal;
  readonly headers: () => Headers;
  readonly deliver: (message: Message) => void;
  /** The server no longer knows the session. */
  readonly lost: () => void;
  /** Nobody listens at the address any more. */
  readonly gone: (error: Error) => void;
}

const LIMITS = { baseMs: 1_000, capMs: 30_000 };
const MIN_WAIT_MS = 100;
/** A server that is not there so often in a row is not just being restarted. */
const GONE_AT = 3;

/** Starts to listen; ends with the signal, or when the server has no such stream. */
export function createNewsStream(ports: NewsPorts): void {
  void listen(ports);
}

async function listen(ports: NewsPorts): Promise<void> {
  const { options, signal } = ports;
  let lastId: string | undefined;
  let retryMs: number | undefined;
  let absences = 0;
  for (let failures = 0; !signal.aborted; failures++) {
    const response = await dial(ports, lastId);
    if (response === 'refused') return;
    absences = response instanceof Error ? absences + 1 : 0;
    if (response instanceof Error && absences >= GONE_AT) return ports.gone(response);
    if (!(response instanceof Error) && response !== 'broken') {
      failures = 0;
      await readEvents(response, options.limitBytes, {
        event(event) {
          lastId = event.id;
          for (const message of parseMessages(event.data) ?? []) ports.deliver(message);
        },
        retry(delayMs) {
          retryMs = delayMs;
        },
      });
    }
    const waitMs =
      failures === 0 && retryMs !== undefined ? retryMs : toBackoffMs(failures + 1, LIMITS, Math.random());
    await pause(Math.max(MIN_WAIT_MS, waitMs), options.clock, signal);
  }
}

async function dial(
  ports: NewsPorts,
  lastId: string | undefined,
): Promise<IncomingMessage | Error | 'refused' | 'broken'> {
  const { options, dialer, signal } = ports;
  const resumption = lastId === undefined ? {} : { 'Last-Event-ID': lastId };
  const headers = { ...options.headers, ...ports.headers(), ...resumption, Accept: 'text/event-stream' };
  let response: IncomingMessage;
  try {
    response = await dialer.send({ method: 'GET', url: options.url, headers, signal });
  } catch (error) {
    if (isUnsent(error)) return error as Error;
    return error instanceof GatewayError && error.code === 'UPSTREAM_AUTH' ? 'refused' : 'broken';
  }
  if (response.statusCode === 200 && isEventStream(response)) return response;
  response.resume();
  if (response.statusCode === 404) ports.lost();
  return (response.statusCode ?? 0) >= 500 ? 'broken' : 'refused';
}

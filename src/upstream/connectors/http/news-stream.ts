/** Keeps the GET stream of a legacy session open, on which the server sends what answers no request. */
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../../errors/gateway-error.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Message } from '../../../wire/message.ts';
import { isUnsent } from '../../../wire/unsent.ts';
import { toBackoffMs } from '../../backoff.ts';
import type { HttpChannelOptions } from '../../http/channel-options.ts';
import { type Dialer, toRetryMs } from '../../http/dial.ts';
import { isEventStream, parseMessages, readEvents } from '../../http/event-stream.ts';
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

/** A stream that was open for so long did not fail. */
const LIVED_MS = 5_000;
/** Servers without such a stream, and those that do not give it to us, say so with one of these. */
const REFUSED: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 406, 410, 501]);

/** Starts to listen; ends with the signal, or when the server has no such stream. */
export function createNewsStream(ports: NewsPorts): void {
  void listen(ports);
}

/** What is remembered from one stream to the next. */
interface Memory {
  lastId: string | undefined;
  /** How soon the server wants us back when a stream ends. */
  retryMs: number | undefined;
}

async function listen(ports: NewsPorts): Promise<void> {
  const { options, signal } = ports;
  const memory: Memory = { lastId: undefined, retryMs: undefined };
  let failures = 0;
  let absences = 0;
  while (!signal.aborted) {
    const answer = await dial(ports, memory.lastId);
    if (answer === 'refused') return;
    absences = answer instanceof Error ? absences + 1 : 0;
    if (answer instanceof Error && absences >= GONE_AT) return ports.gone(answer);
    const isGood = 'statusCode' in answer && (await read(answer, ports, memory));
    failures = isGood ? 0 : failures + 1;
    const asked = 'later' in answer ? answer.later : memory.retryMs;
    const backoffMs = toBackoffMs(Math.max(1, failures), LIMITS, Math.random());
    const waitMs = isGood ? (asked ?? backoffMs) : Math.max(asked ?? 0, backoffMs);
    await pause(Math.max(MIN_WAIT_MS, waitMs), options.clock, signal);
  }
}

/** Reads a stream to its end; false when it was over at once and had nothing to say. */
async function read(response: IncomingMessage, ports: NewsPorts, memory: Memory): Promise<boolean> {
  const { clock, limitBytes } = ports.options;
  const since = clock.now();
  let hasSpoken = false;
  await readEvents(response, limitBytes, {
    event(event) {
      hasSpoken = true;
      memory.lastId = event.id;
      for (const message of parseMessages(event.data) ?? []) ports.deliver(message);
    },
    retry(delayMs) {
      memory.retryMs = delayMs;
    },
  });
  return hasSpoken || clock.now() - since >= LIVED_MS;
}

/** Another attempt may do better, after the time the server asked for. */
interface Later {
  readonly later: number | undefined;
}

async function dial(
  ports: NewsPorts,
  lastId: string | undefined,
): Promise<IncomingMessage | Error | 'refused' | Later> {
  const { options, dialer, signal } = ports;
  const resumption = lastId === undefined ? {} : { 'Last-Event-ID': lastId };
  const headers = { ...options.headers, ...ports.headers(), ...resumption, Accept: 'text/event-stream' };
  let response: IncomingMessage;
  try {
    response = await dialer.send({ method: 'GET', url: options.url, headers, signal });
  } catch (error) {
    if (isUnsent(error)) return error as Error;
    const isRefused = error instanceof GatewayError && error.code === 'UPSTREAM_AUTH';
    return isRefused ? 'refused' : { later: undefined };
  }
  const { statusCode: status = 0 } = response;
  if (status === 200 && isEventStream(response)) return response;
  response.resume();
  if (status === 404) ports.lost();
  return status < 400 || REFUSED.has(status) ? 'refused' : { later: toRetryMs(response) };
}

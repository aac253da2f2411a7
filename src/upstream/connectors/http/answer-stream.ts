/** Reads the events that answer one POST, taking up a broken stream where the server allows it. */
import type { IncomingMessage } from 'node:http';
import { GatewayError } from '../../../errors/gateway-error.ts';
import type { CancelTimer, Clock } from '../../../lib/clock.ts';
import { toTooLongError } from '../../../wire/line-channel.ts';
import { isResponse, type Message, type RequestMessage } from '../../../wire/message.ts';
import type { HttpChannelOptions } from '../../http/channel-options.ts';
import type { Dialer } from '../../http/dial.ts';
import { isEventStream, parseMessages, readEvents } from '../../http/event-stream.ts';
import type { Headers } from '../../upstream.ts';
import { pause } from '../../within.ts';

/** What reading an answer needs of its channel. */
export interface AnswerPorts {
  readonly options: HttpChannelOptions & { readonly clock: Clock };
  readonly dialer: Dialer;
  readonly signal: AbortSignal;
  /** The headers of a resumption; undefined where streams cannot be resumed. */
  readonly resumable: (() => Headers) | undefined;
  readonly deliver: (message: Message) => void;
}

const MAX_RESUMPTIONS = 5;
const FIRST_WAIT_MS = 1_000;
/** A server that does not end the stream of an answer has it ended for it after this long. */
const LINGER_MS = 1_000;

/** Resolves when the answer has been delivered; rejects when it never will be. */
export async function readAnswerStream(
  first: IncomingMessage,
  request: RequestMessage,
  ports: AnswerPorts,
): Promise<void> {
  let response = first;
  let lastId: string | undefined;
  let waitMs = FIRST_WAIT_MS;
  for (let resumptions = 0; ; resumptions++) {
    const outcome = await readOne(response, request, ports);
    if (outcome.answered) return;
    lastId = outcome.lastId ?? lastId;
    waitMs = outcome.retryMs ?? waitMs;
    if (ports.resumable === undefined || lastId === undefined || resumptions >= MAX_RESUMPTIONS) break;
    await pause(waitMs, ports.options.clock, ports.signal);
    if (ports.signal.aborted) return;
    response = await resume(lastId, ports.resumable(), ports);
    if (!isEventStream(response)) {
      response.destroy();
      break;
    }
  }
  throw new GatewayError('UPSTREAM_UNAVAILABLE', `the stream ended before the answer to ${request.method}`);
}

interface Outcome {
  readonly answered: boolean;
  readonly lastId: string | undefined;
  readonly retryMs: number | undefined;
}

async function readOne(
  response: IncomingMessage,
  request: RequestMessage,
  ports: AnswerPorts,
): Promise<Outcome> {
  const { limitBytes, clock } = ports.options;
  let answered = false;
  let cancelLinger: CancelTimer | undefined;
  let lastId: string | undefined;
  let retryMs: number | undefined;
  let tooLong: GatewayError | undefined;
  await readEvents(response, limitBytes, {
    event({ event, data, id }) {
      lastId = id;
      if (event !== 'message') return;
      for (const message of parseMessages(data) ?? []) {
        if (isResponse(message) && message.id === request.id) answered = true;
        ports.deliver(message);
        if (answered) cancelLinger ??= clock.after(LINGER_MS, () => response.destroy());
      }
    },
    retry(delayMs) {
      retryMs = delayMs;
    },
    overflow(bytes) {
      tooLong = toTooLongError(bytes, limitBytes);
      response.destroy();
    },
  });
  cancelLinger?.();
  if (tooLong && !answered) throw tooLong;
  return { answered, lastId, retryMs };
}

function resume(
  lastId: string,
  session: Headers,
  { options, dialer, signal }: AnswerPorts,
): Promise<IncomingMessage> {
  const headers = { ...options.headers, ...session, Accept: 'text/event-stream', 'Last-Event-ID': lastId };
  return dialer.send({ method: 'GET', url: options.url, headers, signal });
}

/** Serves one client on a pair of byte streams, in either era; nothing but protocol is ever written. */
import type { Readable, Writable } from 'node:stream';
import { GatewayError } from '../errors/gateway-error.ts';
import { toWireError } from '../errors/to-wire.ts';
import type { Feed } from '../events/feed.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { Principal } from '../model/principal.ts';
import type { Endpoint, Sessions } from '../session/session.ts';
import { createLineChannel, DEFAULT_LINE_LIMIT, type LineProblem } from '../wire/line-channel.ts';
import { parseBounded } from './bounded-json.ts';
import { CallCounter } from './calls.ts';
import { openConversation } from './conversation.ts';
import { BACKLOG_LIMIT, DRAIN_MS } from './limits.ts';
import { toMessageError } from './message-error.ts';

/** What to serve, to whom, and over which streams. */
export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly sessions: Sessions;
  readonly endpoint: Endpoint;
  readonly principal: Principal;
  /** Called once, when the client has closed its end or `close` was called. */
  readonly onClosed: () => void;
  readonly feed?: Feed;
  readonly lineLimit?: number;
  /** Hears of each line that arrives, before it is read, and may tell the other side something of its own. */
  readonly onLine?: (tell: (method: string) => void) => void;
  readonly clock?: Clock;
}

/** A client being served on streams. */
export interface StdioServing {
  close(): Promise<void>;
  /** Takes no more, lets calls in flight finish for a while, answers the rest itself, and closes. */
  stop(): Promise<void>;
}

/** Serves until the input ends and what it asked for is answered. */
export function serveStdio(options: StdioOptions): StdioServing {
  const { input, output, sessions, endpoint, principal, feed, lineLimit = DEFAULT_LINE_LIMIT } = options;
  const clock = options.clock ?? systemClock;
  const calls = new CallCounter(clock);
  let inputEnded = false;
  const tell = (method: string) => channel.send({ jsonrpc: '2.0', method });
  const channel = createLineChannel({
    input,
    output,
    lineLimit,
    backlogLimit: BACKLOG_LIMIT,
    holdInput: true,
    parse(bytes) {
      options.onLine?.(tell);
      return parseBounded(bytes);
    },
    clock,
    // Requests may come through a pipe that ends with the last of them.
    onInputEnd() {
      inputEnded = true;
      return calls.drain(DRAIN_MS);
    },
    onNoise(problem) {
      const error = toWireError(toLineError(problem, lineLimit));
      channel.send({ jsonrpc: '2.0', id: problem.id ?? null, error });
    },
  });
  const conversation = openConversation(channel, {
    sessions,
    endpoint,
    principal,
    feed,
    clock,
    calls,
    bothEras: true,
    onClosed: options.onClosed,
  });
  return {
    close: () => conversation.close(),
    async stop() {
      // Who has closed its end and then sends a signal has stopped waiting.
      if (!inputEnded) await calls.drain(DRAIN_MS);
      await conversation.cut();
    },
  };
}

function toLineError(problem: LineProblem, limit: number): GatewayError {
  if (problem.kind === 'not-a-message') return toMessageError(problem.value);
  if (problem.error) return problem.error;
  return new GatewayError(
    'BODY_TOO_LARGE',
    `a line of ${problem.bytes} bytes is over the limit of ${limit}; send less at once`,
    { data: { bytes: problem.bytes, limit } },
  );
}

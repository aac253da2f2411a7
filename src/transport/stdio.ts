/** Serves one client on a pair of byte streams, in either era; nothing but protocol is ever written. */
import type { Readable, Writable } from 'node:stream';
import { GatewayError } from '../errors/gateway-error.ts';
import { toWireError } from '../errors/to-wire.ts';
import type { Feed } from '../events/feed.ts';
import type { Principal } from '../model/principal.ts';
import type { Endpoint, Sessions } from '../session/session.ts';
import { createLineChannel, DEFAULT_LINE_LIMIT, type LineProblem } from '../wire/line-channel.ts';
import { openConversation } from './conversation.ts';

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
}

/** A client being served on streams. */
export interface StdioServing {
  close(): Promise<void>;
}

/** Serves until the input ends. */
export function serveStdio(options: StdioOptions): StdioServing {
  const { input, output, sessions, endpoint, principal, feed, lineLimit = DEFAULT_LINE_LIMIT } = options;
  const channel = createLineChannel({
    input,
    output,
    lineLimit,
    onNoise(problem) {
      const error = toWireError(toLineError(problem, lineLimit));
      channel.send({ jsonrpc: '2.0', id: problem.id ?? null, error });
    },
  });
  const peer = openConversation(channel, {
    sessions,
    endpoint,
    principal,
    feed,
    bothEras: true,
    onClosed: options.onClosed,
  });
  return { close: () => peer.close() };
}

function toLineError(problem: LineProblem, limit: number): GatewayError {
  switch (problem.kind) {
    case 'not-json':
      return new GatewayError(
        'PARSE_ERROR',
        `a line of ${problem.bytes} bytes is not JSON; send one message a line`,
      );
    case 'not-a-message':
      return new GatewayError(
        'INVALID_REQUEST',
        'a line is JSON but no JSON-RPC 2.0 message; send one a line',
      );
    case 'too-long':
      return new GatewayError(
        'BODY_TOO_LARGE',
        `a line of ${problem.bytes} bytes is over the limit of ${limit}; send less at once`,
      );
  }
}

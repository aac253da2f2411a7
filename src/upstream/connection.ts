/** Opens a link to a server, greets it in the era it speaks, and carries requests over it. */
import { GatewayError, RpcError } from '../errors/gateway-error.ts';
import { type CancelSignal, createCancel } from '../lib/cancel.ts';
import type { Clock } from '../lib/clock.ts';
import type { CallContext, Retry } from '../model/call.ts';
import type { JsonObject } from '../model/json.ts';
import { isAtLeast } from '../model/log-level.ts';
import type { Era, Implementation, ServerHello } from '../model/mcp.ts';
import type { RequestId } from '../wire/message.ts';
import { type RequestOptions, toCloseError } from '../wire/peer.ts';
import { isUnsent } from '../wire/unsent.ts';
import { progressTokenOf, toEnvelope, toUpstreamParams } from './envelope.ts';
import { greet, type Plan } from './negotiate.ts';
import { sendInRounds } from './rounds.ts';
import { keepListening, listenToLists, toListenFilter } from './subscription.ts';
import { openTalk, type Talk, type TalkOptions } from './talk.ts';
import type { Connection, Headers, Link, LinkNotes } from './upstream.ts';

/** What it takes to reach one server. */
export interface ConnectionOptions {
  /** How errors name the upstream. */
  readonly name: string;
  /** Starts or dials the server; may be called again when the first link did not survive the greeting. */
  readonly open: (signal: AbortSignal) => Promise<Link>;
  /** The era the configuration insists on. */
  readonly era: Era | undefined;
  /** The era the server spoke last time. */
  readonly hint: Era | undefined;
  /** How long a request may stay silent. */
  readonly timeoutOf: (method: string, params: JsonObject) => number;
  /** How we introduce ourselves. */
  readonly self: Implementation;
  readonly clock: Clock;
  /** Gives up the attempt. */
  readonly signal: AbortSignal;
  /** True when the program ended by itself at every greeting of the last attempt: it is started once only. */
  readonly endedBefore?: boolean;
  /** What we declare to be able to answer when we greet a legacy server. */
  readonly declares: JsonObject;
  /** See TalkOptions. */
  readonly onQuestion?: (method: string, attributed: boolean) => void;
  readonly fallback?: () => CallContext | undefined;
  readonly turns?: TalkOptions['turns'];
  /** Told of each link as soon as it is there, so that its notes can be read while it is greeted. */
  readonly onLink?: (notes: () => LinkNotes) => void;
}

/** Opens a connection; rejects with a typed error that names the upstream. */
export async function openConnection(options: ConnectionOptions): Promise<Connection> {
  let failure: unknown;
  for (const plan of toPlans(options)) {
    if (failure !== undefined && !mayTryNext(failure, plan, options)) break;
    try {
      return await attempt(options, plan);
    } catch (error) {
      failure = error;
      options.signal.throwIfAborted();
    }
  }
  throw toGreetingError(failure, options.name);
}

function toPlans({ era, hint, endedBefore }: ConnectionOptions): readonly Plan[] {
  if (era !== undefined) return [era];
  // No server ends because of `initialize`: if it ends now, it does so whatever it is told.
  return endedBefore || hint === 'legacy' ? ['legacy', 'unknown'] : ['unknown', 'legacy'];
}

/** Whether a second greeting on a fresh link can help after the first failed. */
function mayTryNext(error: unknown, next: Plan, { endedBefore }: ConnectionOptions): boolean {
  const exited = error instanceof GatewayError && error.code === 'UPSTREAM_EXITED';
  if (exited && endedBefore) return false;
  // Some servers exit when the first request they see is not `initialize`.
  if (next === 'legacy') return exited;
  return (
    exited ||
    error instanceof RpcError ||
    (error instanceof GatewayError && error.code === 'UPSTREAM_PROTOCOL')
  );
}

async function attempt(options: ConnectionOptions, plan: Plan): Promise<Connection> {
  const { clock, self, signal, declares } = options;
  const link = await options.open(signal);
  const talk = openTalk(link, options);
  options.onLink?.(talk.notes);
  try {
    const hello = await greet(talk, { plan, self, declares, clock, signal });
    return createConnection(talk, hello, options);
  } catch (error) {
    const better = isUnsent(error) ? toCloseError(await talk.closed) : error;
    await talk.peer.close();
    throw better;
  }
}

function createConnection(talk: Talk, hello: ServerHello, options: ConnectionOptions): Connection {
  const modern = hello.era === 'modern';
  const { clock } = options;
  const envelope = toEnvelope(options.self);
  const filter = toListenFilter(hello.capabilities);
  if (modern && filter)
    listenToLists(talk, { notifications: filter, envelope, clock, signal: toEndSignal(talk) });
  const setLogLevel = modern ? undefined : createLogLevel(talk, hello);

  async function send(
    method: string,
    params: JsonObject,
    call: CallContext,
    headers: Headers | undefined,
  ): Promise<JsonObject> {
    let sentAs: RequestId | undefined;
    const outgoing: RequestOptions = {
      signal: call.signal,
      timeoutMs: options.timeoutOf(method, params),
      headers,
      onProgress: toProgress(params, call),
      onSent(id) {
        sentAs = id;
        talk.calls.set(id, call);
      },
    };
    try {
      const said = modern ? toEnvelope(options.self, call) : undefined;
      return await talk.peer.request(method, toUpstreamParams(params, said), outgoing);
    } catch (error) {
      throw toNamedError(error, options.name);
    } finally {
      if (sentAs !== undefined) talk.calls.delete(sentAs);
    }
  }

  return {
    hello,
    closed: talk.closed,
    notes: talk.notes,
    request(method, params, call, headers) {
      if (!modern) {
        setLogLevel?.(call.logLevel);
        return send(method, params, call, headers);
      }
      const resumed = call.retry ? { ...params, ...toRetryParams(call.retry) } : params;
      return sendInRounds((round) => send(method, round, call, headers), resumed, call);
    },
    notify: (method, params) => talk.peer.notify(method, params),
    listen: (notifications, signal) =>
      keepListening(talk, { notifications, envelope, clock, signal }).catch((error: unknown) => {
        throw toNamedError(error, options.name);
      }),
    onNotification: talk.onNews,
    [Symbol.asyncDispose]: () => talk.peer.close(),
  };
}

/** Aborts when the link ends. */
function toEndSignal({ closed }: Talk): CancelSignal {
  const end = createCancel();
  void closed.then(({ message }) => end.abort(new GatewayError('UPSTREAM_UNAVAILABLE', message)));
  return end.signal;
}

function toRetryParams({ inputResponses, requestState }: Retry): JsonObject {
  return {
    ...(inputResponses === undefined ? {} : { inputResponses }),
    ...(requestState === undefined ? {} : { requestState }),
  };
}

/** A legacy server has one log level for all: it is only ever lowered, and each client is sent what it asked for. */
function createLogLevel(talk: Talk, hello: ServerHello): ((level: string | undefined) => void) | undefined {
  if (hello.capabilities['logging'] === undefined) return undefined;
  let lowest: string | undefined;
  return (level) => {
    if (level === undefined || (lowest !== undefined && isAtLeast(level, lowest))) return;
    lowest = level;
    // Not awaited: it goes ahead of the call on the same link, and a server that refuses it still takes the call.
    talk.peer.request('logging/setLevel', { level }).catch(() => {});
  };
}

/**
 * Progress goes back to the caller under the token it chose, whatever token went upstream. It is asked for on behalf of
 * those too who did not: a server that says how it gets on is not given up.
 */
function toProgress(params: JsonObject, { client }: CallContext): (progress: JsonObject) => void {
  const token = progressTokenOf(params);
  if (token === undefined) return ignore;
  return (progress) => client.notify('notifications/progress', { ...progress, progressToken: token });
}

function ignore(): void {}

/** A server's own error to our greeting is its fault, and must not look like an answer to a client's request. */
function toGreetingError(error: unknown, name: string): unknown {
  if (!(error instanceof RpcError)) return toNamedError(error, name);
  return new GatewayError(
    'UPSTREAM_PROTOCOL',
    `${name}: refused our greeting: ${error.message} (${error.code})`,
    {
      cause: error,
      data: { upstream: name },
    },
  );
}

/** The same error with the upstream's name in front; errors the server itself sent stay as they are. */
function toNamedError(error: unknown, name: string): unknown {
  if (!(error instanceof GatewayError) || error.code === 'CALL_CANCELLED') return error;
  return new GatewayError(error.code, `${name}: ${error.message}`, {
    cause: error,
    data: { ...error.data, upstream: name },
  });
}

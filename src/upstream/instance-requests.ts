/** The way of one request through an instance: a place, a turn, a live connection, an answer. */
import { RpcError } from '../errors/gateway-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { CallContext } from '../model/call.ts';
import type { JsonObject } from '../model/json.ts';
import { isUnsent } from '../wire/unsent.ts';
import type { Bulkhead, Leave } from './bulkhead.ts';
import type { LoginWatch } from './credentials/login-watch.ts';
import { toParamHeaders } from './http/param-headers.ts';
import type { ManifestKeeper } from './manifest-keeper.ts';
import { tellStart } from './start-progress.ts';
import type { Supervisor } from './supervisor.ts';
import type { Turns } from './turns.ts';
import type { Connection, Headers } from './upstream.ts';
import type { Usage } from './usage.ts';
import type { WishedEnds } from './wished-ends.ts';

/** What requests pass on their way. */
export interface RequestParts {
  /** How errors name the upstream. */
  readonly name: string;
  readonly supervisor: Supervisor;
  readonly ends: WishedEnds;
  readonly manifest: ManifestKeeper;
  readonly logins: LoginWatch;
  readonly bulkhead: Bulkhead;
  readonly usage: Usage;
  readonly turns: Turns;
  readonly clock: Clock;
}

/** Sends requests, starting the server if need be. */
export type SendRequest = (method: string, params: JsonObject, call: CallContext) => Promise<JsonObject>;

/** A connection, and a call as it goes on from there. */
interface Reached {
  readonly connection: Connection;
  readonly told: CallContext;
}

/** Creates the way. */
export function createRequests(parts: RequestParts): SendRequest {
  const { name, supervisor, ends, manifest, logins, bulkhead, usage, turns, clock } = parts;

  function takeTurn({ conversation, signal }: CallContext): Leave | Promise<Leave> {
    // Everyone is counted, so that those already running are known the moment the server first asks.
    return manifest.current?.traits?.asks ? turns.enter(conversation, signal) : turns.join(conversation);
  }

  async function send(method: string, params: JsonObject, call: CallContext): Promise<JsonObject> {
    const { live } = supervisor;
    // Most calls find an open link and go straight over it.
    const { connection, told } = live ? { connection: live, told: call } : await reach(params, call);
    try {
      return await sendOver(connection, method, params, told);
    } catch (error) {
      // Only what never reached the server may be sent again: nobody knows what a lost call has done.
      if (!isUnsent(error) || call.signal.aborted) throw ends.explain(error, connection);
      await connection.closed;
      const next = await reach(params, told);
      return sendOver(next.connection, method, params, next.told).catch((again: unknown) => {
        throw ends.explain(again, next.connection);
      });
    }
  }

  /** Waits for a link; a caller that waits for a start is told so. */
  async function reach(params: JsonObject, call: CallContext): Promise<Reached> {
    // Whoever has just logged in is not made to wait for the next background attempt.
    if (supervisor.state.is === 'needs_auth' && (await logins.look())) await supervisor.attempt();
    const news = supervisor.live ? undefined : tellStart(params, call, name, clock);
    try {
      return { connection: await supervisor.connection(call.signal), told: news?.call ?? call };
    } finally {
      news?.stop();
    }
  }

  function sendOver(
    connection: Connection,
    method: string,
    params: JsonObject,
    call: CallContext,
  ): Promise<JsonObject> {
    return connection.request(method, params, call, headersFor(connection, method, params));
  }

  function headersFor(connection: Connection, method: string, params: JsonObject): Headers | undefined {
    if (method !== 'tools/call' || connection.hello.era !== 'modern') return undefined;
    return toParamHeaders(manifest.tool(params['name']), params['arguments']);
  }

  return async (method, params, call) => {
    const leavePlace = bulkhead.tryEnter() ?? (await bulkhead.enter(call.signal));
    const leave = usage.enter();
    let leaveTurn: Leave | undefined;
    try {
      const turn = takeTurn(call);
      leaveTurn = turn instanceof Promise ? await turn : turn;
      const result = await send(method, params, call);
      supervisor.worked();
      return result;
    } catch (error) {
      // An error of the server's own is an answer too.
      if (error instanceof RpcError) supervisor.worked();
      throw error;
    } finally {
      leaveTurn?.();
      leave();
      leavePlace();
    }
  };
}

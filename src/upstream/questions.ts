/** Questions servers ask back: whose client they are for, whether it can answer, and what is said when it cannot. */

import { RpcError } from '../errors/gateway-error.ts';
import type { CancelSignal } from '../lib/cancel.ts';
import type { CallContext } from '../model/call.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { metaOf } from '../model/mcp.ts';
import type { RequestId } from '../wire/message.ts';

/** The conversation of requests the gateway makes on nobody's behalf. */
export const OWN_CONVERSATION = 'gateway';

/** A running call and the id its request went out with. */
export interface OpenCall {
  readonly id: RequestId;
  readonly call: CallContext;
}

/** The call a message belongs to: the one on whose stream it came, else the only client's that has calls running. */
export function findCall(
  origin: RequestId | undefined,
  calls: ReadonlyMap<RequestId, CallContext>,
): OpenCall | undefined {
  if (origin !== undefined) {
    const call = calls.get(origin);
    return call && { id: origin, call };
  }
  let found: OpenCall | undefined;
  for (const [id, call] of calls) {
    if (call.conversation === OWN_CONVERSATION) continue;
    // With calls of two clients running nobody can tell whose it is, and guessing would show one the other's.
    if (found && found.call.conversation !== call.conversation) return undefined;
    found = { id, call };
  }
  return found;
}

/** Marks a question that only the owner of this machine may answer: a client of anybody else is not asked. */
export const OWNER_ONLY = 'thimble/owner-only';

/** Asks the client of a call; one that cannot answer declines. */
export async function askClient(
  call: CallContext | undefined,
  method: string,
  params: JsonObject,
  signal?: CancelSignal,
): Promise<JsonObject> {
  if (!call?.client.ask || !canAnswer(method, params, call.facts.capabilities)) return decline(method);
  if (metaOf(params)[OWNER_ONLY] === true && !call.principal.owner) return decline(method);
  return call.client.ask(method, params, signal);
}

/** True when a client with these capabilities can answer such a question. */
export function canAnswer(method: string, params: JsonObject, capabilities: JsonObject): boolean {
  const { elicitation, sampling, roots } = capabilities;
  switch (method) {
    case 'elicitation/create':
      if (!isJsonObject(elicitation)) return false;
      return params['mode'] !== 'url' || elicitation['url'] !== undefined;
    case 'sampling/createMessage':
      if (!isJsonObject(sampling)) return false;
      return params['tools'] === undefined || sampling['tools'] !== undefined;
    case 'roots/list':
      return isJsonObject(roots);
    default:
      // A question of a kind we do not know: a client that does not either will say so itself.
      return true;
  }
}

const METHOD_NOT_FOUND = -32601;
const REJECTED = -1;

/** What a server hears of a question that was taken back before anybody answered it. */
export function withdraw(method: string): JsonObject {
  if (method === 'elicitation/create') return { action: 'cancel' };
  throw new RpcError(REJECTED, `nobody answered ${method} in time; go on without`);
}

/** Marks a decline that no person spoke, for servers that would rather wait for one. */
export const UNASKED = 'thimble/unasked';

/** What a server hears instead of a hang when nobody can answer. */
export function decline(method: string): JsonObject {
  if (method === 'elicitation/create') return { action: 'decline', _meta: { [UNASKED]: true } };
  if (method === 'sampling/createMessage') {
    throw new RpcError(REJECTED, 'the client of this call cannot sample; go on without');
  }
  throw new RpcError(METHOD_NOT_FOUND, `the client of this call cannot answer ${method}`);
}

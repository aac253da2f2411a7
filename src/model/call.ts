/** What every layer passes along with a request: who asks, how to stop it, the way back to the client. */
import type { CancelSignal } from '../lib/cancel.ts';
import type { JsonObject } from './json.ts';
import type { Era } from './mcp.ts';
import type { Principal } from './principal.ts';

/** The way back to the client while its request runs. */
export interface ClientPort {
  /** Sends a notification that belongs to the running request. */
  notify(method: string, params: JsonObject): void;
  /** Asks what only the client can answer; absent when there is no way to. */
  readonly ask?: (method: string, params: JsonObject, signal?: CancelSignal) => Promise<JsonObject>;
}

/** What a client told us of itself. */
export interface ClientFacts {
  readonly era: Era;
  readonly protocolVersion: string;
  readonly name: string;
  readonly info: JsonObject;
  readonly capabilities: JsonObject;
}

/** What a client sends along when it takes up a request that needed its input. */
export interface Retry {
  readonly inputResponses: JsonObject | undefined;
  readonly requestState: string | undefined;
}

/** One request on its way down; nothing in it outlives the request. */
export interface CallContext {
  readonly principal: Principal;
  readonly facts: ClientFacts;
  /** Calls with the same value come from the same client: a question of either may go to that client. */
  readonly conversation: string;
  /** The profile the conversation is narrowed to. */
  readonly profile: string | undefined;
  /** The least severe log messages the client wants to hear while the request runs. */
  readonly logLevel: string | undefined;
  readonly retry: Retry | undefined;
  readonly signal: CancelSignal;
  readonly client: ClientPort;
}

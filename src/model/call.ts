/** What every layer passes along with a request: who asks, how to stop it, the way back to the client. */
import type { JsonObject } from './json.ts';
import type { Era } from './mcp.ts';
import type { Principal } from './principal.ts';

/** The way back to the client while its request runs. */
export interface ClientPort {
  /** Sends a notification that belongs to the running request. */
  notify(method: string, params: JsonObject): void;
  /** Asks what only the client can answer; absent when it cannot. */
  readonly ask?: (method: string, params: JsonObject) => Promise<JsonObject>;
}

/** What a client told us of itself. */
export interface ClientFacts {
  readonly era: Era;
  readonly protocolVersion: string;
  readonly name: string;
  readonly info: JsonObject;
  readonly capabilities: JsonObject;
}

/** One request on its way down; nothing in it outlives the request. */
export interface CallContext {
  readonly principal: Principal;
  readonly facts: ClientFacts;
  /** The profile the conversation is narrowed to. */
  readonly profile: string | undefined;
  readonly signal: AbortSignal;
  readonly client: ClientPort;
}

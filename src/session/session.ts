/** The contract between transports and the rest: one client's conversation, whatever carries it. */
import type { CancelSignal } from '../lib/cancel.ts';
import type { ClientPort } from '../model/call.ts';
import type { UpstreamId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { Principal } from '../model/principal.ts';

/** What an address stands for. */
export type Endpoint =
  | { readonly kind: 'mode'; readonly mode: string; readonly profile: string | undefined }
  | { readonly kind: 'upstream'; readonly upstream: UpstreamId };

/** One request of a client on its way in. */
export interface ClientCall {
  readonly signal: CancelSignal;
  readonly client: ClientPort;
  /** The id of the request, as the client chose it. */
  readonly id: string | number;
  /** The Mcp-Param-* headers of a modern HTTP request, decoded, by lower-case name; they must equal the arguments. */
  readonly paramHeaders?: Readonly<Record<string, string>>;
}

/** One client's conversation; in the modern era it lives for one request. */
export interface Session {
  /** Answers one request; throws GatewayError or RpcError. */
  request(method: string, params: JsonObject, call: ClientCall): Promise<JsonObject>;
  notification(method: string, params: JsonObject): void;
  /** Ends the conversation; running requests are aborted by their own signals. */
  close(): void;
}

/** What a transport says when it opens a conversation. */
export interface SessionOpening {
  readonly endpoint: Endpoint;
  readonly principal: Principal;
  /** Sends a notification outside any request; only legacy conversations have such a way. */
  readonly push: (method: string, params: JsonObject) => void;
}

/** What a transport says when it opens a conversation whose requests say themselves who asks. */
export interface ModernOpening extends Omit<SessionOpening, 'push'> {
  /** True when one client is at the other end for good, false when the conversation is one request. */
  readonly lasts?: boolean;
}

/** Where transports get sessions from. */
export interface Sessions {
  /** Opens a conversation that begins with `initialize` and lasts. */
  openLegacy(opening: SessionOpening): Session;
  /** Opens a conversation for modern requests; facts come with each request's `_meta`, which the transport has checked. */
  openModern(opening: ModernOpening): Session;
  /** Reads an address such as `/mcp/direct` or `/s/github/mcp`; throws ENDPOINT_NOT_FOUND with the nearest. */
  endpointOf(path: string, profile: string | undefined): Endpoint;
  readonly live: number;
}

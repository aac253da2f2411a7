/** Every error the gateway can answer with: one row a code, and the only place a number is chosen. */

/** Who has to act for the error to go away. */
export type Blame = 'client' | 'upstream' | 'gateway' | 'operator';

/** What a code means on the wire and to the caller. */
export interface ErrorRow {
  readonly jsonrpc: number;
  readonly http: number;
  readonly blame: Blame;
  /** True when the same request may succeed later without any change. */
  readonly retry: boolean;
  readonly meaning: string;
}

const row = (jsonrpc: number, http: number, blame: Blame, retry: boolean, meaning: string): ErrorRow => ({
  jsonrpc,
  http,
  blame,
  retry,
  meaning,
});

/** The table: docs/reference/errors.md is generated from it. */
export const ERRORS = {
  PARSE_ERROR: row(-32700, 400, 'client', false, 'The body is not JSON.'),
  INVALID_REQUEST: row(-32600, 400, 'client', false, 'The JSON is not a request this endpoint takes.'),
  METHOD_NOT_FOUND: row(-32601, 404, 'client', false, 'The protocol method is unknown here.'),
  INVALID_PARAMS: row(-32602, 400, 'client', false, 'The parameters of a method are wrong.'),
  HEADER_MISMATCH: row(-32020, 400, 'client', false, 'An HTTP header disagrees with the body.'),
  MISSING_CAPABILITY: row(-32021, 400, 'client', false, 'The client lacks a capability the request needs.'),
  UNSUPPORTED_VERSION: row(-32022, 400, 'client', false, 'The protocol revision is not spoken here.'),
  TOOL_NOT_FOUND: row(-32602, 404, 'client', false, 'No visible tool has that name.'),
  PROMPT_NOT_FOUND: row(-32602, 404, 'client', false, 'No visible prompt has that name.'),
  RESOURCE_NOT_FOUND: row(-32002, 404, 'client', false, 'No visible resource has that URI.'),
  ENDPOINT_NOT_FOUND: row(-32600, 404, 'client', false, 'The address names no mode and no upstream.'),
  SESSION_UNKNOWN: row(-32001, 404, 'client', false, 'The session id is unknown or has expired.'),
  HOST_REFUSED: row(-32600, 403, 'client', false, 'The Host or Origin header is not one of this machine.'),
  NOT_ACCEPTABLE: row(-32600, 406, 'client', false, 'The client accepts none of the answer types.'),
  UNSUPPORTED_MEDIA: row(-32600, 415, 'client', false, 'The body is not application/json.'),
  METHOD_NOT_ALLOWED: row(-32600, 405, 'client', false, 'The HTTP method is not used at this address.'),
  BODY_TOO_LARGE: row(-32600, 413, 'client', false, 'The request is larger than the limit.'),
  TOO_BUSY: row(-32017, 503, 'gateway', true, 'The gateway holds as much as it may; try again soon.'),
  CALL_CANCELLED: row(-32800, 499, 'client', false, 'The client cancelled the request or went away.'),
  UPSTREAM_UNAVAILABLE: row(-32010, 502, 'upstream', true, 'The upstream cannot be reached now.'),
  UPSTREAM_EXITED: row(-32011, 502, 'upstream', true, 'The upstream ended while the call was running.'),
  UPSTREAM_TIMEOUT: row(-32012, 504, 'upstream', true, 'The upstream did not answer in time.'),
  UPSTREAM_PROTOCOL: row(-32013, 502, 'upstream', false, 'The upstream broke the protocol.'),
  UPSTREAM_AUTH: row(-32014, 502, 'operator', false, 'The upstream asks for credentials it was not given.'),
  RESULT_TOO_LARGE: row(-32015, 502, 'upstream', false, 'The upstream sent more than the limit.'),
  UPSTREAM_DISABLED: row(
    -32016,
    503,
    'operator',
    false,
    'The upstream is switched off or not fully configured.',
  ),
  TOOL_DISABLED: row(-32016, 403, 'operator', false, 'The tool is switched off.'),
  NAME_UNKNOWN: row(-32602, 404, 'client', false, 'Nothing here has that name.'),
  NAME_TAKEN: row(-32602, 409, 'client', false, 'Something else has that name already.'),
  CONSENT_NEEDED: row(-32018, 403, 'operator', false, 'A person has to agree first.'),
  CONSENT_REFUSED: row(-32018, 403, 'operator', false, 'The person did not agree.'),
  TOKEN_REFUSED: row(-32019, 401, 'client', false, 'The request carries no valid token.'),
  FILE_REFUSED: row(-32603, 409, 'operator', false, 'A file cannot be read or changed as it stands.'),
  REGISTRY_UNAVAILABLE: row(-32010, 502, 'upstream', true, 'The registry of servers gives no usable answer.'),
  INSTALL_FAILED: row(-32011, 502, 'upstream', false, 'A server could not be installed; nothing was kept.'),
  CONFIG_INVALID: row(-32603, 500, 'operator', false, 'The configuration cannot be used.'),
  BIND_REFUSED: row(-32603, 500, 'operator', false, 'The gateway cannot listen on that address.'),
  STORE_LOCKED: row(-32603, 503, 'operator', true, 'Another process holds the store.'),
  STORE_CORRUPT: row(-32603, 500, 'operator', false, 'The store file is damaged.'),
  STORE_NEWER: row(-32603, 500, 'operator', false, 'The store was written by a newer Thimble.'),
  STORE_UNAVAILABLE: row(-32603, 500, 'operator', false, 'The store cannot be opened or written.'),
  INTERNAL: row(-32603, 500, 'gateway', false, 'A fault of the gateway itself.'),
} as const satisfies Record<string, ErrorRow>;

/** A code of the table. */
export type ErrorCode = keyof typeof ERRORS;

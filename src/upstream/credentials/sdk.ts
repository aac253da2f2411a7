/** The door to the official SDK's OAuth client; loaded only when a server has refused a request. */

/** The SDK's client module. */
export type Sdk = typeof import('@modelcontextprotocol/client');

/** Loads the SDK; takes long enough that no start and no ordinary call should ever need it. */
export function loadSdk(): Promise<Sdk> {
  return import('@modelcontextprotocol/client');
}

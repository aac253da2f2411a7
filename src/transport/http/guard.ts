/** Refuses requests that a web page made this machine send: Host and Origin must both be of this machine. */
import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../../errors/gateway-error.ts';

// Exact spellings only: whatever else may resolve to this machine today may be another's tomorrow.
const HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;
const ORIGIN = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i;

const WAY_OUT = 'use http://localhost, http://127.0.0.1 or http://[::1]';

/** The refusal of a request from elsewhere; undefined when it may pass. */
export function findForeignOrigin(headers: IncomingHttpHeaders): GatewayError | undefined {
  const { host, origin } = headers;
  if (host === undefined) return new GatewayError('HOST_REFUSED', `the request names no Host; ${WAY_OUT}`);
  if (!HOST.test(host))
    return new GatewayError('HOST_REFUSED', `Host "${toShown(host)}" is not this machine; ${WAY_OUT}`);
  if (origin !== undefined && !ORIGIN.test(origin))
    return new GatewayError('HOST_REFUSED', `Origin "${toShown(origin)}" is not this machine; ${WAY_OUT}`);
  return undefined;
}

/** True for an address only this machine can reach, and under which the guard lets requests pass. */
export function isLoopback(host: string): boolean {
  return host === '127.0.0.1' || host === '::1' || host.toLowerCase() === 'localhost';
}

function toShown(value: string): string {
  return value.slice(0, 100);
}

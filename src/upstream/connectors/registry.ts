/** Every way to reach a server: one line each. */
import type { Connector } from '../upstream.ts';
import { createBuiltin, type HostedServers } from './builtin/connector.ts';
import { http } from './http/connector.ts';
import { sse } from './sse/connector.ts';
import { stdio } from './stdio/connector.ts';

/** The connectors, with the servers the gateway hosts itself. */
export function createConnectors({ hosted }: { readonly hosted: HostedServers }): readonly Connector[] {
  return [stdio, http, sse, createBuiltin(hosted)];
}

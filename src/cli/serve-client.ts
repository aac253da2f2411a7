/** Serves the client on the other end of stdin and stdout, until it goes or a signal comes. */
import type { Gateway } from '../gateway.ts';
import { LOCAL_PRINCIPAL } from '../model/principal.ts';
import type { Endpoint } from '../session/session.ts';
import { serveStdio } from '../transport/stdio.ts';
import type { CommandInput, CommandPorts } from './command.ts';
import { openConfiguredGateway } from './shared-options.ts';

/** Runs a gateway for one client; the endpoint is chosen once the gateway knows its servers. */
export async function serveClient(
  input: CommandInput,
  ports: CommandPorts,
  toEndpoint: (gateway: Gateway) => Endpoint,
): Promise<number> {
  await using running = await openConfiguredGateway(input, ports);
  const { gateway } = running;
  const endpoint = toEndpoint(gateway);
  const closed = new Promise<void>((resolve) => {
    serveStdio({
      ...ports.streams,
      sessions: gateway.sessions,
      endpoint,
      principal: LOCAL_PRINCIPAL,
      feed: gateway.feed,
      onClosed: resolve,
    });
  });
  await Promise.race([closed, ports.stopped]);
  return 0;
}

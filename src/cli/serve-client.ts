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
  const { gateway, configPath, looked } = running;
  if (configPath === undefined) gateway.feed.publish({ type: 'config.missing', looked });
  const endpoint = toEndpoint(gateway);
  const { promise: closed, resolve: onClosed } = toDeferred();
  const serving = serveStdio({
    ...ports.streams,
    sessions: gateway.sessions,
    endpoint,
    principal: LOCAL_PRINCIPAL,
    feed: gateway.feed,
    onClosed,
  });
  await Promise.race([closed, ports.stopped]);
  // After a signal calls in flight are let finish; after the client has gone there are none left.
  await serving.stop();
  return 0;
}

function toDeferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

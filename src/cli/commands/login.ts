/** `thimble login`: lets a person log in to a server that asks for it, and keeps what that gives. */
import type { Config } from '../../config/config.ts';
import { findHome } from '../../config/home.ts';
import { loadConfig } from '../../config/load.ts';
import { mayUseKept } from '../../config/trust.ts';
import { GatewayError, RpcError } from '../../errors/gateway-error.ts';
import { CONFIG_PARTS, createGateway, type Gateway } from '../../gateway.ts';
import { systemClock } from '../../lib/clock.ts';
import { didYouMean } from '../../lib/nearest.ts';
import type { CallContext } from '../../model/call.ts';
import { isJsonObject } from '../../model/json.ts';
import { MODERN_REVISION } from '../../model/mcp.ts';
import { OWNER } from '../../model/principal.ts';
import type { Authoriser } from '../../upstream/credentials/credentials.ts';
import { type Loopback, openLoopback } from '../../upstream/credentials/loopback.ts';
import type { UpstreamConfig } from '../../upstream/upstream.ts';
import {
  type Command,
  type CommandInput,
  type CommandPorts,
  JSON_OPTION,
  printAnswer,
  textOption,
} from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { GATEWAY_OPTIONS } from '../gateway/configured-gateway.ts';

/** Logs in to one upstream. */
export const login: Command = {
  name: 'login',
  words: ['<server>'],
  summary: 'log in to a configured server that asks for it',
  options: [...GATEWAY_OPTIONS.filter(({ flags }) => /^--(config|home) /.test(flags)), JSON_OPTION],
  examples: ['thimble login github', 'thimble login github --config .mcp.json'],
  async run(input, ports) {
    const done = await Promise.race([logIn(input, ports), ports.stopped.then(() => false)]);
    return (done ? EXIT_CODES.ok : EXIT_CODES.stopped).code;
  },
};

async function logIn(input: CommandInput, ports: CommandPorts): Promise<boolean> {
  const home = findHome({ flag: textOption(input, 'home'), env: ports.env });
  const places = { cwd: ports.cwd, home, explicit: textOption(input, 'config') };
  const { config, path } = await loadConfig(places, CONFIG_PARTS);
  const upstream = findUpstream(config.upstreams, input.args[0] ?? '', path);
  let degraded: string | undefined;
  await using gateway = await createGateway(toAlone(config, upstream), {
    home,
    // That variable would name a default all the same.
    env: { ...ports.env, THIMBLE_DEFAULT_SERVER: undefined },
    keptValues: mayUseKept(path, places),
    onOpen: (feed) =>
      feed.on((event) => {
        if (event.type === 'store.degraded') degraded = event.reason;
      }),
  });
  if (degraded !== undefined)
    throw new GatewayError('STORE_UNAVAILABLE', `a login could not be kept: ${degraded}`);
  await using loopback = await openLoopback({ port: toPort(upstream), clock: systemClock });
  await gateway.logIn(upstream.id, toAuthoriser(upstream, loopback, ports));
  const tools = await countTools(gateway, upstream);
  printAnswer(input, ports, { upstream: upstream.id, tools }, () => {
    return `Logged in to ${upstream.id}: it offers ${tools} ${tools === 1 ? 'tool' : 'tools'}.`;
  });
  return true;
}

/** Only this one, whichever is the default: nothing else is started for a login. */
function toAlone({ exposure, ...config }: Config, upstream: UpstreamConfig): Config {
  const activate = { ...exposure.activate, default: undefined };
  return { ...config, exposure: { ...exposure, activate }, upstreams: [upstream] };
}

function findUpstream(
  upstreams: readonly UpstreamConfig[],
  word: string,
  path: string | undefined,
): UpstreamConfig {
  const found = upstreams.find(({ id }) => id === word) ?? upstreams.find(({ name }) => name === word);
  if (found) return found;
  const ids = upstreams.map(({ id }) => id);
  throw new GatewayError(
    'NAME_UNKNOWN',
    `no configured server is called "${word}"${didYouMean(word, ids)}; those of ${path ?? 'Thimble itself'} are ${ids.join(', ')}`,
  );
}

function toPort({ options: { auth } }: UpstreamConfig): number | undefined {
  const port = isJsonObject(auth) ? auth['redirectPort'] : undefined;
  return typeof port === 'number' ? port : undefined;
}

function toAuthoriser({ id }: UpstreamConfig, loopback: Loopback, ports: CommandPorts): Authoriser {
  return {
    redirectUrl: loopback.redirectUrl,
    authorise(url) {
      // Shown and never opened: an address a server chose must not start anything here.
      ports.print(`Open this address in a browser on this machine to log in to ${id}:\n\n  ${url.href}\n`);
      return loopback.answer(url.searchParams.get('state'));
    },
  };
}

/** Uses the login once, so that it is known to work. */
async function countTools({ upstreams }: Gateway, { id }: UpstreamConfig): Promise<number> {
  const upstream = upstreams.get(id);
  await upstream?.request('tools/list', {}, toCall()).catch((error: unknown) => {
    // A server without tools has answered all the same.
    if (!(error instanceof RpcError)) throw error;
  });
  return upstream?.manifest?.lists.tool.length ?? 0;
}

function toCall(): CallContext {
  return {
    principal: OWNER,
    facts: { era: 'modern', protocolVersion: MODERN_REVISION, name: 'thimble', info: {}, capabilities: {} },
    conversation: 'login',
    profile: undefined,
    logLevel: undefined,
    retry: undefined,
    signal: new AbortController().signal,
    client: { notify() {} },
  };
}

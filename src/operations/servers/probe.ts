/** Starts or dials one server once, looks at what it offers, and ends it again. */
import { join } from 'node:path';
import { BUILTINS } from '../../builtin/registry.ts';
import { toBaseEnvironment } from '../../config/environment.ts';
import { parseConfig } from '../../config/parse.ts';
import { createResolver, type Resolver } from '../../config/references.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { createFeed } from '../../events/feed.ts';
import { CONFIG_PARTS } from '../../gateway.ts';
import type { CancelSignal } from '../../lib/cancel.ts';
import { systemClock } from '../../lib/clock.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { Manifest } from '../../model/manifest.ts';
import { createMemoryStore } from '../../store/memory-store.ts';
import type { HostedServers } from '../../upstream/connectors/builtin/connector.ts';
import { createConnectors } from '../../upstream/connectors/registry.ts';
import { createKeyring } from '../../upstream/credentials/keyring.ts';
import { findChallenge } from '../../upstream/credentials/probe.ts';
import { createProcessGroups } from '../../upstream/process-groups.ts';
import type { Upstream, UpstreamConfig, Upstreams } from '../../upstream/upstream.ts';
import { createUpstreams } from '../../upstream/upstreams.ts';
import { settlesWithin } from '../../upstream/within.ts';
import type { House } from '../house.ts';
import { scrub, secretsIn } from '../secrets/secret-values.ts';

/** What was seen of a server, or why nothing was. */
export type Probe = ProbeSuccess | ProbeFailure;

/** A server that answered. */
export interface ProbeSuccess {
  readonly ok: true;
  readonly manifest: Manifest;
  readonly tookMs: number;
}

/** A server that did not. */
export interface ProbeFailure {
  readonly ok: false;
  /** What went wrong, as the end of a sentence that begins with its name; holds no secret. */
  readonly problem: string;
  /** True when it only waits for somebody to log in. */
  readonly needsLogin: boolean;
  /** The last lines it wrote to stderr, secrets left out. */
  readonly stderr: readonly string[];
}

/** How a server is tried. */
export interface ProbeOptions {
  /** How long it may take altogether; packages are fetched in this time, too. */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 120_000;
const STDERR_LINES = 12;
const LINE_LENGTH = 300;

/** Tries one server as an entry describes it; nothing of it is left running. Throws CONFIG_INVALID for what is no entry. */
export async function probe(
  name: string,
  entry: JsonObject,
  house: House,
  options: ProbeOptions = {},
): Promise<Probe> {
  return probeUpstream(toUpstreamConfig(name, entry), house, options);
}

/** The same for a server as the gateway understands it; one of ours is tried in this process and finds nothing kept. */
export async function probeUpstream(
  upstreamConfig: UpstreamConfig,
  house: House,
  { timeoutMs = TIMEOUT_MS }: ProbeOptions = {},
): Promise<Probe> {
  const config: UpstreamConfig = { ...upstreamConfig, enabled: true, startTimeoutMs: timeoutMs };
  const secrets = await readSecrets(config, house);
  const resolve = createResolver(house.env, () => secrets);
  const began = systemClock.now();
  await using upstreams = await open(config, resolve, house);
  const upstream = upstreams.get(config.id);
  if (!upstream) throw new GatewayError('INTERNAL', `${config.name} could not be tried`);
  await contact(upstream, timeoutMs, house.signal);
  const { manifest } = upstream;
  if (manifest) return { ok: true, manifest, tookMs: Math.round(systemClock.now() - began) };
  const hide = toScrub(config, resolve, secrets);
  const failure = toFailure(upstream, hide, timeoutMs);
  const refused = failure.needsLogin ? await findRefused(config, resolve) : [];
  if (refused.length === 0) return failure;
  return { ...failure, needsLogin: false, problem: `refused the value of ${refused.join(', ')}; check it` };
}

/** The headers that were given to a server that wants no login, but only what is in them. */
async function findRefused({ options }: UpstreamConfig, resolve: Resolver): Promise<readonly string[]> {
  const resolution = resolve(options);
  const { url, headers } = resolution.ok ? resolution.options : {};
  if (typeof url !== 'string' || !isJsonObject(headers)) return [];
  const challenge = await findChallenge(new URL(url)).catch(() => undefined);
  // Whoever wants a login says so in a challenge.
  return challenge && challenge.header === undefined ? Object.keys(headers) : [];
}

/** The configuration of one entry, as a gateway would understand it. */
export function toUpstreamConfig(name: string, entry: JsonObject): UpstreamConfig {
  const text = JSON.stringify({ builtin: false, mcpServers: { [name]: entry } });
  const [upstream] = parseConfig(text, 'the entry', CONFIG_PARTS).upstreams;
  if (!upstream) throw new GatewayError('CONFIG_INVALID', `${name} is no entry of a server`);
  return upstream;
}

async function readSecrets({ options }: UpstreamConfig, house: House): Promise<ReadonlyMap<string, string>> {
  return JSON.stringify(options).includes('${secret:') ? (await house.secrets()).all() : new Map();
}

async function open(config: UpstreamConfig, resolve: Resolver, house: House): Promise<Upstreams> {
  const clock = systemClock;
  const takesLogin = config.kind !== 'stdio' && config.kind !== 'builtin';
  const upstreams = createUpstreams({
    connectors: createConnectors({ hosted: toHosted(house.home) }),
    // What is seen of a server that may never be kept is not written down.
    manifests: createMemoryStore().manifests,
    ...(takesLogin && { keyring: createKeyring({ store: (await house.store()).credentials, clock }) }),
    groups: createProcessGroups({ directory: join(house.home, 'groups'), clock, onFault() {} }),
    resolve,
    baseEnv: toBaseEnvironment(house.env),
    feed: createFeed(),
  });
  await upstreams.apply([config]);
  return upstreams;
}

/** Our own servers over a store that is thrown away. */
function toHosted(home: string): HostedServers {
  return new Map(
    BUILTINS.map(({ name, load }) => [
      name,
      async (options) => (await load())({ store: createMemoryStore(), home, options }),
    ]),
  );
}

async function contact(upstream: Upstream, timeoutMs: number, signal: CancelSignal): Promise<void> {
  const until = systemClock.now() + timeoutMs;
  const left = () => Math.max(1, until - systemClock.now());
  if (!(await settlesWithin(orGone(upstream.firstContact, signal), left(), systemClock))) return;
  signal.throwIfAborted();
  // Some servers end when they are greeted in the newer way; the second attempt speaks the older one.
  const isWorthAnother = upstream.state.is === 'offline' || upstream.state.is === 'restarting';
  if (upstream.manifest || !isWorthAnother) return;
  await settlesWithin(orGone(upstream.restart('tried once more'), signal), left(), systemClock);
  signal.throwIfAborted();
}

function orGone(promise: Promise<unknown>, signal: CancelSignal): Promise<unknown> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const settle = () => resolve(undefined);
    signal.addEventListener('abort', settle, { once: true });
    promise.then(settle, settle).finally(() => signal.removeEventListener('abort', settle));
  });
}

function toFailure(upstream: Upstream, hide: (text: string) => string, timeoutMs: number): ProbeFailure {
  const { state, config } = upstream;
  const { stderr } = upstream.notes();
  const problem = toProblem(state, timeoutMs).replace(`${config.name}: `, '');
  return {
    ok: false,
    // What is missing is told by name; a name is no secret, even one that reads so.
    problem: state.is === 'awaiting_config' ? problem : hide(problem),
    needsLogin: state.is === 'needs_auth',
    stderr: stderr
      .map((line) => hide(line.trimEnd()).slice(0, LINE_LENGTH))
      .filter((line) => line !== '')
      .slice(-STDERR_LINES),
  };
}

function toProblem(state: Upstream['state'], timeoutMs: number): string {
  if (state.is === 'awaiting_config') return `is not fully configured: set ${state.missing}`;
  if ('reason' in state) return state.is === 'needs_auth' ? `needs a login (${state.reason})` : state.reason;
  return `did not answer within ${Math.round(timeoutMs / 1000)} s`;
}

/** Hides every value the server was given and every kept one. */
function toScrub(
  { options }: UpstreamConfig,
  resolve: Resolver,
  secrets: ReadonlyMap<string, string>,
): (text: string) => string {
  const resolution = resolve(options);
  const values = [...secrets.values(), ...secretsIn(resolution.ok ? resolution.options : options)];
  return (text) => scrub(text, values);
}

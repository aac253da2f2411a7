/** The configuration in its one normal form: complete, checked, references not resolved yet. */
import { createExposureOptions, type ExposureOptions } from '../exposure/options.ts';
import type { UpstreamConfig } from '../upstream/upstream.ts';

/** Everything a gateway is told by its configuration. */
export interface Config {
  /** The prefix of the gateway's own tools. */
  readonly namespace: string;
  readonly http: { readonly host: string; readonly port: number };
  readonly exposure: ExposureOptions & { readonly mode: string };
  readonly names: { readonly maxLength: number };
  readonly manage: { readonly enabled: boolean };
  /** Built-in servers and those of the person, sorted by id. */
  readonly upstreams: readonly UpstreamConfig[];
  /** Built-in servers that are switched off, where they keep tags. */
  readonly builtinsOff?: readonly Pick<UpstreamConfig, 'name' | 'tags'>[];
}

/** Timers overflow beyond this and fire at once. */
export const MAX_TIMEOUT_MS: number = 2 ** 31 - 1;

/** What holds where the configuration says nothing. */
export const CONFIG_DEFAULTS: Config = {
  namespace: 'thimble',
  http: { host: '127.0.0.1', port: 7420 },
  exposure: { mode: 'auto', ...createExposureOptions() },
  names: { maxLength: 48 },
  manage: { enabled: true },
  upstreams: [],
};

/** What holds where the entry of a server says nothing. */
export const UPSTREAM_DEFAULTS: Pick<
  UpstreamConfig,
  'tags' | 'enabled' | 'timeoutMs' | 'startTimeoutMs' | 'era' | 'interactive'
> = {
  tags: [],
  enabled: true,
  timeoutMs: 120_000,
  startTimeoutMs: 60_000,
  era: undefined,
  interactive: 'shared',
};

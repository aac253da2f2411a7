/** What one upstream may cost: how long it idles, how much it is asked at once, how much memory it takes. */
import type { JsonObject } from '../model/json.ts';
import type { Connector, UpstreamConfig } from './upstream.ts';

/** The limits of one upstream. */
export interface UpstreamLimits {
  /** A link nobody used for this long is closed; 0 keeps it open. */
  readonly idleStopMs: number;
  /** So many requests are out at once. */
  readonly maxInFlight: number;
  /** So many more may wait for their turn. */
  readonly maxQueue: number;
  /** A program whose group takes more memory is restarted; 0 lets it take what it wants. */
  readonly memoryLimitBytes: number;
  /** How long calls of single tools may stay silent, by the server's own names. */
  readonly toolTimeoutsMs: Readonly<Record<string, number>>;
}

/** How long a start waits for the first contact with a server nothing is known of. */
export const FIRST_CONTACT_WAIT_MS = 1_500;

/** What holds where the configuration says nothing. */
export const DEFAULT_LIMITS: UpstreamLimits = {
  idleStopMs: 10 * 60_000,
  maxInFlight: 64,
  maxQueue: 1_000,
  memoryLimitBytes: 0,
  toolTimeoutsMs: {},
};

/** The limits of a configured server; one that is no program of ours costs nothing while it idles. */
export function toLimits({ limits }: UpstreamConfig, { spawns }: Pick<Connector, 'spawns'>): UpstreamLimits {
  return { ...DEFAULT_LIMITS, ...(spawns ? {} : { idleStopMs: 0 }), ...limits };
}

/** How long a request may stay silent. */
export function toTimeoutMs(
  method: string,
  params: JsonObject,
  { timeoutMs }: UpstreamConfig,
  { toolTimeoutsMs }: UpstreamLimits,
): number {
  const { name } = params;
  if (method !== 'tools/call' || typeof name !== 'string' || !Object.hasOwn(toolTimeoutsMs, name))
    return timeoutMs;
  return toolTimeoutsMs[name] ?? timeoutMs;
}

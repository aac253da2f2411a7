/** Reads an address: which mode or which upstream it stands for. */
import { GatewayError } from '../errors/gateway-error.ts';
import { didYouMean } from '../lib/nearest.ts';
import type { UpstreamId } from '../model/ids.ts';
import type { Endpoint } from './session.ts';

/** What addresses may name. */
export interface KnownAddresses {
  readonly defaultMode: string;
  readonly modes: readonly string[];
  /** Modes that are switched off, each with the sentence that says how to switch it on. */
  readonly off: ReadonlyMap<string, string>;
  readonly upstreams: readonly UpstreamId[];
  /** The tags servers carry: each is a profile. */
  readonly profiles: readonly string[];
}

/** Turns `/mcp`, `/mcp/<mode>`, `/router/mcp` or `/s/<upstream>/mcp` into an endpoint; a wrong name gets the nearest. */
export function parseEndpoint(path: string, profile: string | undefined, known: KnownAddresses): Endpoint {
  const [first, second, third] = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponentSafely);
  if (first === 's' && second !== undefined && third === 'mcp') return toUpstreamEndpoint(second, known);
  if (first === 'router' && second === 'mcp' && third === undefined)
    return toModeEndpoint('router', profile, known);
  if (first === 'mcp' && third === undefined)
    return toModeEndpoint(second ?? known.defaultMode, profile, known);
  throw new GatewayError(
    'ENDPOINT_NOT_FOUND',
    `nothing is served at ${path}; use /mcp, /mcp/<mode>, /router/mcp or /s/<upstream>/mcp`,
  );
}

/** An endpoint for a mode, refused with the nearest name when there is no such mode. */
export function toModeEndpoint(mode: string, profile: string | undefined, known: KnownAddresses): Endpoint {
  const off = known.off.get(mode);
  if (off !== undefined) throw new GatewayError('ENDPOINT_NOT_FOUND', off);
  if (profile !== undefined && !known.profiles.includes(profile)) throw toUnknownProfile(profile, known);
  if (known.modes.includes(mode)) return { kind: 'mode', mode, profile };
  const hint = `${didYouMean(mode, known.modes)}; the modes are ${known.modes.join(', ')}`;
  throw new GatewayError('ENDPOINT_NOT_FOUND', `there is no mode "${mode}"${hint}`);
}

/** A profile nobody carries would show nothing for ever, and nothing would say why. */
function toUnknownProfile(profile: string, { profiles }: KnownAddresses): GatewayError {
  const rest =
    profiles.length === 0
      ? '; no server has tags yet (thimble profile create)'
      : `${didYouMean(profile, profiles)}; the profiles are ${profiles.slice(0, SHOWN_IDS).join(', ')}`;
  return new GatewayError(
    'ENDPOINT_NOT_FOUND',
    `no server carries the profile "${profile.slice(0, 100)}"${rest}`,
  );
}

/** An endpoint for one upstream, refused with the nearest id when none is configured under it. */
export function toUpstreamEndpoint(id: string, known: KnownAddresses): Endpoint {
  const upstream = known.upstreams.find((candidate) => candidate === id);
  if (upstream !== undefined) return { kind: 'upstream', upstream };
  const hint = `${didYouMean(id, known.upstreams)}; ${describeIds(known.upstreams)}`;
  throw new GatewayError('ENDPOINT_NOT_FOUND', `no upstream has the id "${id}"${hint}`);
}

function describeIds(ids: readonly UpstreamId[]): string {
  if (ids.length === 0) return 'no server is configured and switched on';
  const rest = ids.length > SHOWN_IDS ? ` and ${ids.length - SHOWN_IDS} more` : '';
  return `the ids are ${ids.slice(0, SHOWN_IDS).join(', ')}${rest}`;
}

const SHOWN_IDS = 10;

function decodeURIComponentSafely(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

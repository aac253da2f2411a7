/** The configured servers as operations look at them: found by id or name, with suggestions where nothing is. */
import { BUILTINS } from '../../builtin/registry.ts';
import type { ConfigContent } from '../../config/config-file.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { nearest } from '../../lib/nearest.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { UpstreamConfig } from '../../upstream/upstream.ts';
import { toShown } from '../shown/quote.ts';

/** One configured server. */
export interface Configured {
  readonly id: string;
  /** What people call it; where it stands in `mcpServers`, unless it is built in. */
  readonly name: string;
  readonly builtin: boolean;
  readonly enabled: boolean;
  readonly kind: string;
  readonly tags: readonly string[];
  /** Its entry as it is written; undefined for a built-in server. */
  readonly entry: JsonObject | undefined;
  /** As the gateway understands it; undefined for a built-in server that is switched off. */
  readonly upstream: UpstreamConfig | undefined;
}

const SHOWN = 6;

/** Every configured server, sorted by id; built-in ones are there even when they are switched off. */
export function listConfigured(content: ConfigContent): readonly Configured[] {
  const entries = content.value['mcpServers'];
  const known = content.config.upstreams.map((upstream) => toConfigured(upstream, entries));
  const ids = new Set(known.map(({ id }) => id));
  const off = BUILTINS.filter(({ name }) => !ids.has(name)).map(
    ({ name }): Configured => ({
      id: name,
      name,
      builtin: true,
      enabled: false,
      kind: 'builtin',
      tags: [],
      entry: undefined,
      upstream: undefined,
    }),
  );
  return [...known, ...off].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Finds a configured server by its id or name; throws NAME_UNKNOWN with the nearest when there is none. */
export function findConfigured(content: ConfigContent, word: string): Configured {
  const found = matchConfigured(content, word);
  if (found) return found;
  throw toUnknown(content, word);
}

/** True when a word is nearly the id or name of a configured server. */
export function isNearConfigured(content: ConfigContent, word: string): boolean {
  return toNear(listConfigured(content), word).length > 0;
}

/** The error for a word that names no configured server. */
export function toUnknown(content: ConfigContent, word: string): GatewayError {
  const all = listConfigured(content);
  const near = toNear(all, word);
  const ids = all.map(({ id }) => id);
  const more = ids.length > SHOWN ? ` and ${ids.length - SHOWN} more (thimble server list)` : '';
  const hint =
    near.length > 0
      ? `did you mean ${near.map((name) => JSON.stringify(name)).join(' or ')}?`
      : `there are ${ids.slice(0, SHOWN).join(', ')}${more}`;
  return new GatewayError('NAME_UNKNOWN', `no configured server is called ${toShown(word)}; ${hint}`);
}

function toNear(all: readonly Configured[], word: string): readonly string[] {
  return nearest(word, new Set(all.flatMap(({ id, name }) => [id, name])), 3);
}

/** The same, or undefined when there is none. */
export function matchConfigured(content: ConfigContent, word: string): Configured | undefined {
  const all = listConfigured(content);
  const exact = all.find(({ id }) => id === word) ?? all.find(({ name }) => name === word);
  if (exact) return exact;
  const loose = all.filter(({ id, name }) => isSame(id, word) || isSame(name, word));
  return loose.length === 1 ? loose[0] : undefined;
}

function toConfigured(upstream: UpstreamConfig, entries: JsonObject[string]): Configured {
  const { id, name, kind, tags, enabled } = upstream;
  const builtin = upstream.core === true;
  const entry = !builtin && isJsonObject(entries) && Object.hasOwn(entries, name) ? entries[name] : undefined;
  return { id, name, builtin, enabled, kind, tags, upstream, entry: isJsonObject(entry) ? entry : undefined };
}

function isSame(known: string, word: string): boolean {
  return known.toLowerCase() === word.toLowerCase();
}

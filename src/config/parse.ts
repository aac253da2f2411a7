/** Text into configuration: every fault is found and told at once, or the result can be relied on. */
import * as z from 'zod';
import { didYouMean } from '../lib/nearest.ts';
import { toUpstreamIds, type UpstreamId } from '../model/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { Connector, UpstreamConfig } from '../upstream/upstream.ts';
import type { Config } from './config.ts';
import { type Fault, notOneOf, toConfigError, toFaults, toPathText, unknownKey, valueAt } from './faults.ts';
import { parseJsonc } from './jsonc.ts';
import { hasReference } from './references.ts';
import { COMMON_OPTIONS, type ConfigParts, createSectionsSchema, toTypes } from './schema.ts';

/** Reads a configuration; throws CONFIG_INVALID with every fault of it. */
export function parseConfig(text: string, file: string, parts: ConfigParts): Config {
  const source = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const document = parseJsonc(source);
  if (!('value' in document)) {
    throw toConfigError(
      file,
      source,
      document.map((fault) => ({ ...fault, path: '' })),
    );
  }
  const faults: Fault[] = [];
  const config = toConfig(document.value, parts, faults);
  if (config && faults.length === 0) return config;
  throw toConfigError(
    file,
    source,
    faults.map(({ path, problem }) => ({ offset: document.offsetOf(path), path: toPathText(path), problem })),
  );
}

/** The configuration of someone who wrote none. */
export function createDefaultConfig(parts: ConfigParts): Config {
  return parseConfig('{}', 'defaults', parts);
}

function toConfig(value: JsonValue, parts: ConfigParts, faults: Fault[]): Config | undefined {
  const schema = createSectionsSchema(parts);
  const sections = schema.safeParse(value);
  if (!sections.success) faults.push(...toFaults(sections.error.issues, { at: [], schema, value }));
  const upstreams = toUpstreams(isJsonObject(value) ? value['mcpServers'] : undefined, parts, faults);
  if (!sections.success) return undefined;
  const { namespace, http, exposure, names, builtin, manage } = sections.data;
  return { namespace, http, exposure, names, builtin, manage, upstreams };
}

function toUpstreams(
  servers: JsonValue | undefined,
  parts: ConfigParts,
  faults: Fault[],
): readonly UpstreamConfig[] {
  if (servers === undefined) return [];
  if (!isJsonObject(servers)) {
    faults.push({ path: ['mcpServers'], problem: 'expected an object with one member for each server' });
    return [];
  }
  const ids = toUpstreamIds(Object.keys(servers));
  const byId = new Map<UpstreamId, UpstreamConfig>();
  for (const [name, entry] of Object.entries(servers)) {
    const id = ids.get(name);
    const upstream = id && toUpstream({ id, name, entry: entry ?? null }, parts, faults);
    if (!upstream) continue;
    const other = byId.get(id);
    if (other) {
      const problem = `has the same id (${id}) as ${JSON.stringify(other.name)}; rename one of them`;
      faults.push({ path: ['mcpServers', name], problem });
    }
    byId.set(id, upstream);
  }
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

interface Entry {
  readonly id: UpstreamId;
  readonly name: string;
  readonly entry: JsonValue;
}

function toUpstream(
  { id, name, entry }: Entry,
  parts: ConfigParts,
  faults: Fault[],
): UpstreamConfig | undefined {
  const at = ['mcpServers', name];
  if (!isJsonObject(entry)) {
    faults.push({ path: at, problem: 'expected an object that says how to reach the server' });
    return undefined;
  }
  const connector = chooseConnector(entry, parts.connectors);
  if (typeof connector === 'string') {
    faults.push({ path: 'type' in entry ? [...at, 'type'] : at, problem: connector });
    return undefined;
  }
  const common = pick(entry, Object.keys(COMMON_OPTIONS.shape));
  const own = pick(entry, Object.keys(connector.options.shape));
  const known = ['type', ...Object.keys(COMMON_OPTIONS.shape), ...Object.keys(connector.options.shape)];
  const unknown = Object.keys(entry).filter((key) => !known.includes(key));
  faults.push(...unknown.map((key) => unknownKey([...at, key], known)));

  const shared = COMMON_OPTIONS.safeParse(common);
  if (!shared.success)
    faults.push(...toFaults(shared.error.issues, { at, value: entry, schema: COMMON_OPTIONS }));
  const options = checkOptions(own, connector, at, faults);
  if (!shared.success || !options) return undefined;
  const { tags, enabled, disabled, timeout, startTimeout, era } = shared.data;
  return {
    id,
    name,
    kind: connector.kind,
    options,
    tags,
    enabled: enabled && !disabled,
    timeoutMs: timeout,
    startTimeoutMs: startTimeout,
    era: era === 'auto' ? undefined : era,
  };
}

function checkOptions(
  own: JsonObject,
  { options: schema }: Connector,
  at: readonly string[],
  faults: Fault[],
): JsonObject | undefined {
  const result = schema.safeParse(own);
  if (result.success) return result.data as JsonObject;
  // The form of a text with references is only known once they are resolved; the connector checks it then.
  const issues = result.error.issues.filter(({ code, path }) => {
    const value = valueAt(own, path);
    return code === 'invalid_type' || typeof value !== 'string' || !hasReference(value);
  });
  faults.push(...toFaults(issues, { at, value: own, schema }));
  return issues.length === 0 ? own : undefined;
}

/** The connector an entry means, or what is wrong with the entry. */
function chooseConnector(entry: JsonObject, connectors: readonly Connector[]): Connector | string {
  if (Object.hasOwn(entry, 'type')) {
    const type = entry['type'];
    const types = toTypes(connectors);
    return (typeof type === 'string' ? types.get(type) : undefined) ?? notOneOf(type, [...types.keys()]);
  }
  return connectors.find((connector) => connector.recognises(entry)) ?? describeKinds(entry, connectors);
}

function describeKinds(entry: JsonObject, connectors: readonly Connector[]): string {
  const kinds = connectors.map((connector) => {
    const required = Object.entries(connector.options.shape)
      .filter(([, option]) => !z.safeParse(option, undefined).success)
      .map(([key]) => JSON.stringify(key));
    return required.length > 0
      ? `${required.join(' and ')} (${connector.kind})`
      : `"type": "${connector.kind}"`;
  });
  const words = connectors.flatMap((connector) => Object.keys(connector.options.shape));
  const wrong = Object.keys(entry).filter((key) => !words.includes(key));
  const hint = wrong.map((key) => didYouMean(key, words)).find((text) => text !== '') ?? '';
  return `does not say how to reach the server: expected ${kinds.join(' or ')}${hint}`;
}

function pick(entry: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => keys.includes(key)));
}

/** Text into configuration: every fault is found and told at once, or the result can be relied on. */
import { RESERVED_IDS, toUpstreamIds, type UpstreamId } from '../model/ids.ts';
import { isJsonObject, type JsonValue } from '../model/json.ts';
import type { UpstreamConfig } from '../upstream/upstream.ts';
import { toBuiltinsOff, toBuiltinUpstreams } from './builtin-servers.ts';
import type { Config } from './config.ts';
import { type Fault, toConfigError, toFaults, toPathText } from './faults.ts';
import { parseJsonc } from './jsonc.ts';
import { findContradictions } from './overrides.ts';
import { type ConfigParts, createSectionsSchema } from './schema.ts';
import { toUpstream } from './server-entry.ts';

/** Reads a configuration; throws CONFIG_INVALID with every fault of it. */
export function parseConfig(text: string, file: string, parts: ConfigParts): Config {
  const document = parseJsonc(text);
  if (!('value' in document)) {
    throw toConfigError(
      file,
      text,
      document.map((fault) => ({ ...fault, path: '' })),
    );
  }
  const faults: Fault[] = [];
  const config = toConfig(document.value, parts, faults);
  if (config && faults.length === 0) return config;
  throw toConfigError(
    file,
    text,
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
  const own = sections.success ? toBuiltinUpstreams(sections.data.builtin, parts.builtins) : [];
  const servers = isJsonObject(value) ? value['mcpServers'] : undefined;
  const configured = toUpstreams(servers, own, parts, faults);
  if (!sections.success) return undefined;
  const { namespace, http, exposure, names, manage, builtin } = sections.data;
  const builtinsOff = toBuiltinsOff(builtin, parts.builtins);
  const upstreams = [...own, ...configured].sort((a, b) => (a.id < b.id ? -1 : 1));
  const sectioned = { namespace, http, exposure, names, manage, upstreams };
  const config = { ...sectioned, ...(builtinsOff.length > 0 && { builtinsOff }) };
  // A server whose entry has a fault is missing here, which is not another fault.
  if (faults.length === 0) faults.push(...findContradictions(config));
  return config;
}

function toUpstreams(
  servers: JsonValue | undefined,
  own: readonly UpstreamConfig[],
  parts: ConfigParts,
  faults: Fault[],
): readonly UpstreamConfig[] {
  if (servers === undefined) return [];
  if (!isJsonObject(servers)) {
    faults.push({ path: ['mcpServers'], problem: 'expected an object with one member for each server' });
    return [];
  }
  const ids = toUpstreamIds(Object.keys(servers), new Set([...RESERVED_IDS, ...own.map(({ id }) => id)]));
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
  return [...byId.values()];
}

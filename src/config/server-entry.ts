/** One entry of `mcpServers`: which connector it means, and whether what it says can be used. */
import type * as z from 'zod';
import { nearest } from '../lib/nearest.ts';
import type { UpstreamId } from '../model/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue, valueAt } from '../model/json.ts';
import type { UpstreamLimits } from '../upstream/limits.ts';
import type { Connector, UpstreamConfig } from '../upstream/upstream.ts';
import { type Fault, notOneOf, toFaults, unknownKey } from './faults.ts';
import { hasReference } from './references.ts';
import { COMMON_OPTIONS, type ConfigParts, toOffered, toRequired, toTypes } from './schema.ts';

/** An entry as it is written, and what it is called. */
export interface ServerEntry {
  readonly id: UpstreamId;
  readonly name: string;
  readonly entry: JsonValue;
}

/** An entry and what it is judged by. */
interface Trial {
  readonly entry: JsonObject;
  /** Where the entry stands in the document. */
  readonly at: readonly string[];
  readonly connectors: readonly Connector[];
}

const COMMON_KEYS: readonly string[] = ['type', ...Object.keys(COMMON_OPTIONS.shape)];

/** Reads one entry; what is wrong is added to the faults, and the result is undefined. */
export function toUpstream(
  { id, name, entry }: ServerEntry,
  { connectors }: Pick<ConfigParts, 'connectors'>,
  faults: Fault[],
): UpstreamConfig | undefined {
  const at = ['mcpServers', name];
  if (!isJsonObject(entry)) {
    faults.push({ path: at, problem: 'expected an object that says how to reach the server' });
    return undefined;
  }
  const trial: Trial = { entry, at, connectors };
  const connector = findConnector(trial);
  if (!connector) {
    faults.push(...explainNoConnector(trial));
    return undefined;
  }
  faults.push(...findStrangeKeys(trial, connector));
  const shared = COMMON_OPTIONS.safeParse(pick(entry, COMMON_KEYS));
  if (!shared.success)
    faults.push(...toFaults(shared.error.issues, { at, value: entry, schema: COMMON_OPTIONS }));
  const options = checkOptions(trial, connector, faults);
  if (!shared.success || !options) return undefined;
  const { tags, enabled, disabled, timeout, startTimeout, era, interactive, disabledTools } = shared.data;
  const limits = toLimits(shared.data);
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
    interactive,
    ...(disabledTools && disabledTools.length > 0 && { disabledTools }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
}

const MB = 1024 * 1024;

/** Only what an entry says: what it leaves open depends on its kind. */
function toLimits(written: z.infer<typeof COMMON_OPTIONS>): Partial<UpstreamLimits> {
  const { idleStop, maxInFlight, maxQueue, memoryLimit, toolTimeouts } = written;
  return {
    ...(idleStop !== undefined && { idleStopMs: idleStop }),
    ...(maxInFlight !== undefined && { maxInFlight }),
    ...(maxQueue !== undefined && { maxQueue }),
    ...(memoryLimit !== undefined && { memoryLimitBytes: memoryLimit * MB }),
    ...(toolTimeouts !== undefined && { toolTimeoutsMs: toolTimeouts }),
  };
}

/** The connector an entry names, is recognised by, or has a key of that no connector can do without. */
function findConnector({ entry, connectors }: Trial): Connector | undefined {
  if (Object.hasOwn(entry, 'type')) {
    const type = entry['type'];
    return typeof type === 'string' ? toTypes(connectors).get(type) : undefined;
  }
  return (
    connectors.find((connector) => connector.recognises(entry)) ??
    connectors.find((connector) => toRequired(connector).some((key) => Object.hasOwn(entry, key)))
  );
}

function explainNoConnector({ entry, at, connectors }: Trial): Fault[] {
  const offered = toOffered(connectors);
  if (Object.hasOwn(entry, 'type')) {
    const kinds = offered.map(({ kind }) => kind);
    const problem = notOneOf(entry['type'], kinds, toTypes(offered).keys());
    return [{ path: [...at, 'type'], problem }];
  }
  const known = [...COMMON_KEYS, ...offered.flatMap(toOptionKeys)];
  const strange = strangeKeys(entry, known);
  const faults = strange.map((key) => unknownKey([...at, key], known));
  const required = offered.flatMap(toRequired);
  // A misspelt key says how to reach the server all the same.
  const isMisspelt = strange.some((key) => required.includes(nearest(key, known)[0] ?? ''));
  return isMisspelt ? faults : [{ path: at, problem: describeKinds(offered) }, ...faults];
}

function describeKinds(offered: readonly Connector[]): string {
  const kindsByKeys = new Map<string, string[]>();
  for (const connector of offered) {
    const keys = toRequired(connector).map(quote).join(' and ') || `"type": ${quote(connector.kind)}`;
    kindsByKeys.set(keys, [...(kindsByKeys.get(keys) ?? []), connector.kind]);
  }
  const ways = [...kindsByKeys].map(([keys, kinds]) => `${keys} (${kinds.join(' or ')})`);
  return `does not say how to reach the server: expected ${ways.join(' or ')}`;
}

function findStrangeKeys({ entry, at, connectors }: Trial, connector: Connector): Fault[] {
  const known = [...COMMON_KEYS, ...toOptionKeys(connector)];
  const own = toRequired(connector).filter((key) => Object.hasOwn(entry, key));
  const strange = strangeKeys(entry, known);
  return strange.map((key) => {
    const other = toOffered(connectors).find((candidate) => toOptionKeys(candidate).includes(key));
    const path = [...at, key];
    if (!other) return unknownKey(path, known);
    if (own[0] !== undefined && toRequired(other).includes(key))
      return { path, problem: `${quote(own[0])} and ${quote(key)} exclude each other; give one of the two` };
    return { path, problem: `is for servers of type ${quote(other.kind)}, not ${quote(connector.kind)}` };
  });
}

function checkOptions({ entry, at }: Trial, connector: Connector, faults: Fault[]): JsonObject | undefined {
  const { options: schema } = connector;
  const own = pick(entry, toOptionKeys(connector));
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

function toOptionKeys(connector: Connector): string[] {
  return Object.keys(connector.options.shape);
}

function pick(entry: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(entry).filter(([key]) => keys.includes(key)));
}

function quote(text: string): string {
  return JSON.stringify(text);
}

/** What clients keep in their own entries and means nothing here: such an entry works as it is. */
const OTHERS_KEYS: ReadonlySet<string> = new Set([
  'alwaysAllow',
  'autoApprove',
  'description',
  'gallery',
  'icon',
  'trust',
  'version',
]);

function strangeKeys(entry: JsonObject, known: readonly string[]): string[] {
  return Object.keys(entry).filter((key) => !known.includes(key) && !OTHERS_KEYS.has(key));
}

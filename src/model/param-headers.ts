/** Tool arguments that travel as HTTP headers too, where the tool's schema asks for it with `x-mcp-header`. */
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import type { Definition } from './mcp.ts';

/** One argument and the header that repeats it. */
export interface HeaderParam {
  /** The part of the header's name behind `Mcp-Param-`. */
  readonly header: string;
  /** The argument's value as text. */
  readonly value: string;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const MAX_DEPTH = 16;

/** The arguments of one call that have headers; null and absent ones have none. */
export function headerParamsOf(tool: Definition | undefined, args: JsonValue | undefined): HeaderParam[] {
  const schema = tool?.['inputSchema'];
  const found: HeaderParam[] = [];
  if (isJsonObject(schema) && isJsonObject(args)) collect(schema, args, found, 0);
  return found;
}

function collect(schema: JsonObject, value: JsonObject, found: HeaderParam[], depth: number): void {
  const properties = schema['properties'];
  if (!isJsonObject(properties) || depth > MAX_DEPTH) return;
  for (const [key, property] of Object.entries(properties)) {
    const argument = Object.hasOwn(value, key) ? value[key] : undefined;
    if (!isJsonObject(property) || argument === undefined || argument === null) continue;
    const header = property['x-mcp-header'];
    const isPrimitive = typeof argument !== 'object';
    if (typeof header === 'string' && TOKEN.test(header) && isPrimitive)
      found.push({ header, value: String(argument) });
    if (isJsonObject(argument)) collect(property, argument, found, depth + 1);
  }
}

/** What is wrong with the `x-mcp-header` annotations of a tool, if anything is: such a tool must not be offered. */
export function findHeaderFault(tool: Definition): string | undefined {
  const seen = new Set<string>();
  return isJsonObject(tool['inputSchema'])
    ? findFault(tool['inputSchema'], { reachable: true, depth: 0 }, seen)
    : undefined;
}

const PRIMITIVES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);

/** Where in a schema we are: an annotation counts only where a chain of `properties` alone leads to it. */
interface Place {
  readonly reachable: boolean;
  readonly depth: number;
}

function findFault(schema: JsonObject, { reachable, depth }: Place, seen: Set<string>): string | undefined {
  if (depth > MAX_DEPTH) return undefined;
  for (const [keyword, value] of Object.entries(schema)) {
    const inProperties = keyword === 'properties' && isJsonObject(value);
    for (const child of inProperties ? Object.values(value) : childrenOf(value)) {
      if (!isJsonObject(child)) continue;
      const place = { reachable: reachable && inProperties, depth: depth + 1 };
      const fault = findAnnotationFault(child, place.reachable, seen) ?? findFault(child, place, seen);
      if (fault) return fault;
    }
  }
  return undefined;
}

function childrenOf(value: JsonValue | undefined): readonly (JsonValue | undefined)[] {
  if (Array.isArray(value)) return value;
  return isJsonObject(value) ? [value, ...Object.values(value)] : [];
}

function findAnnotationFault(schema: JsonObject, reachable: boolean, seen: Set<string>): string | undefined {
  if (!Object.hasOwn(schema, 'x-mcp-header')) return undefined;
  const header = schema['x-mcp-header'];
  if (typeof header !== 'string' || !TOKEN.test(header))
    return `x-mcp-header ${JSON.stringify(header)} is no header name`;
  if (!reachable) return `x-mcp-header "${header}" stands where no plain chain of properties leads`;
  if (!PRIMITIVES.has(schema['type']))
    return `x-mcp-header "${header}" is on a value that is no string, integer or boolean`;
  if (seen.has(header.toLowerCase())) return `x-mcp-header "${header}" is used twice`;
  seen.add(header.toLowerCase());
  return undefined;
}

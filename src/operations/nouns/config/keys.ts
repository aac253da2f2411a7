/** The keys of the configuration: written with dots, known by the schema, suggested where one is wrong. */
import { toPathText } from '../../../config/faults.ts';
import { toConfigJsonSchema } from '../../../config/json-schema.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { CONFIG_PARTS } from '../../../gateway.ts';
import { didYouMean, nearest } from '../../../lib/nearest.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../model/json.ts';
import { toShown } from '../../shown/quote.ts';

/** A key that the schema knows. */
export interface Key {
  readonly path: readonly (string | number)[];
  /** As it is written for people. */
  readonly text: string;
  /** What the schema says of it: several where several forms are allowed. */
  readonly nodes: readonly JsonObject[];
}

/** One key of the schema, for lists. */
export interface KnownKey {
  readonly text: string;
  readonly description: string | undefined;
  readonly default: JsonValue | undefined;
}

const MAX_LENGTH = 500;
const SEGMENT = /\.?([^.[\]"]+)|\[("(?:[^"\\]|\\.)*"|\d+)\]/y;

/** Finds what a key means in a document; refuses one that the schema does not know. */
export function findKey(text: string, document: JsonObject): Key {
  const segments = joinServerName(split(text), document);
  let nodes = flatten([readSchema()]);
  const path: (string | number)[] = [];
  for (const segment of segments) {
    const found = toChildren(nodes, segment);
    if (found.length === 0) throw unknownKey(text, path, segment, nodes);
    path.push(isList(nodes) ? Number(segment) : segment);
    nodes = found;
  }
  return { path, text: toPathText(path), nodes };
}

/** The types a key's value may have. */
export function toTypes(nodes: readonly JsonObject[]): ReadonlySet<string> {
  return new Set(nodes.flatMap(({ type }) => (typeof type === 'string' ? [type] : [])));
}

/** What the schema says first of a key, such as its description. */
export function firstOf(nodes: readonly JsonObject[], member: string): JsonValue | undefined {
  return nodes.find((node) => node[member] !== undefined)?.[member];
}

/** Every key there is, with a stand-in where people choose the name. */
export function listKeys(): readonly KnownKey[] {
  const known = new Map<string, KnownKey>();
  const visit = (
    nodes: readonly JsonObject[],
    path: readonly string[],
    outer: readonly JsonObject[],
  ): void => {
    const members = toMembers(nodes);
    if (path.length > 0 && members.size === 0) {
      const text = path.join('.');
      const description = firstOf([...outer, ...nodes], 'description');
      if (!known.has(text))
        known.set(text, {
          text,
          description: typeof description === 'string' ? description : undefined,
          default: firstOf([...outer, ...nodes], 'default'),
        });
    }
    // Where people choose the name, the section says what it is for.
    for (const [name, node] of members)
      visit(
        flatten(node),
        [...path, name],
        name === '<name>' ? [...node, ...toDescription([...nodes, ...outer])] : node,
      );
  };
  visit(flatten([readSchema()]), [], []);
  return [...known.values()].filter(({ text }) => text !== '$schema');
}

function toDescription(nodes: readonly JsonObject[]): readonly JsonObject[] {
  const description = firstOf(nodes, 'description');
  return description === undefined ? [] : [{ description }];
}

/** The members of forms: named ones, and one stand-in for names people choose. */
function toMembers(nodes: readonly JsonObject[]): ReadonlyMap<string, readonly JsonObject[]> {
  const members = new Map<string, JsonObject[]>();
  const add = (name: string, node: JsonValue | undefined) => {
    if (isJsonObject(node)) members.set(name, [...(members.get(name) ?? []), node]);
  };
  for (const { properties, additionalProperties } of nodes) {
    for (const [name, node] of Object.entries(isJsonObject(properties) ? properties : {})) add(name, node);
    add('<name>', additionalProperties);
  }
  return members;
}

function readSchema(): JsonObject {
  return toConfigJsonSchema(CONFIG_PARTS);
}

/** The single forms of a schema that allows several. */
function flatten(nodes: readonly JsonObject[]): readonly JsonObject[] {
  return nodes.flatMap((node) => {
    const { anyOf, ...rest } = node;
    if (!Array.isArray(anyOf)) return [node];
    const forms = anyOf.filter(isJsonObject) as readonly JsonObject[];
    // What is said of all forms stands first, without a form of its own.
    return [rest, ...flatten(forms)];
  });
}

function toChildren(nodes: readonly JsonObject[], segment: string): readonly JsonObject[] {
  return flatten(
    nodes.flatMap(({ properties, additionalProperties, items }) => {
      const named =
        isJsonObject(properties) && Object.hasOwn(properties, segment) ? properties[segment] : undefined;
      const found = named ?? additionalProperties ?? (/^\d{1,6}$/.test(segment) ? items : undefined);
      return isJsonObject(found) ? [found] : [];
    }),
  );
}

function isList(nodes: readonly JsonObject[]): boolean {
  return nodes.some(({ type }) => type === 'array');
}

/** `a.b["c d"].e[0]` as its parts. */
function split(text: string): readonly string[] {
  const segments: string[] = [];
  const pattern = new RegExp(SEGMENT);
  let end = 0;
  while (end < text.length && text.length <= MAX_LENGTH) {
    const match = pattern.exec(text);
    if (!match) break;
    const [whole, plain, bracketed = ''] = match;
    const isFirstWithDot = end === 0 && whole.startsWith('.');
    if (isFirstWithDot) break;
    segments.push(plain ?? (bracketed.startsWith('"') ? toText(bracketed) : bracketed));
    end = pattern.lastIndex;
  }
  if (end === text.length && segments.length > 0) return segments;
  throw new GatewayError(
    'INVALID_PARAMS',
    `${toShown(text)} is no key; write one with dots, such as http.port or mcpServers["my server"].timeout`,
  );
}

function toText(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted.slice(1, -1);
  }
}

/** A server's name may have dots itself: the longest that is configured is meant. */
function joinServerName(segments: readonly string[], { mcpServers }: JsonObject): readonly string[] {
  const [first = '', ...rest] = segments;
  if (first !== 'mcpServers' || !isJsonObject(mcpServers)) return segments;
  for (let length = rest.length; length > 1; length--) {
    const name = rest.slice(0, length).join('.');
    if (Object.hasOwn(mcpServers, name)) return [first, name, ...rest.slice(length)];
  }
  return segments;
}

function unknownKey(
  text: string,
  path: readonly (string | number)[],
  segment: string,
  nodes: readonly JsonObject[],
): GatewayError {
  const siblings = [...toMembers(nodes).keys()].filter((name) => name !== '<name>' && name !== '$schema');
  const [near] = nearest(segment, siblings);
  const suggestion = near === undefined ? undefined : toPathText([...path, near]);
  const hint =
    suggestion === undefined
      ? didYouMean(
          text,
          listKeys().map((key) => key.text),
        )
      : ` (did you mean "${suggestion}"?)`;
  const place = path.length === 0 ? 'at the top' : `in ${toPathText(path)}`;
  const some =
    siblings.length > 0
      ? `${place} there are ${siblings.slice(0, 8).join(', ')}`
      : `${place} there is nothing`;
  return new GatewayError(
    'NAME_UNKNOWN',
    `there is no setting ${toShown(text)}${hint}; ${some}, and thimble config list --all shows every one`,
  );
}

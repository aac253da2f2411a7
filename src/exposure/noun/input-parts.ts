/** A tool's input as parameters that can stand beside those of other tools; a schema that cannot be taken apart has none. */
import { PAGE_MEMBERS } from '../../catalog/uri-members.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { Definition } from '../../model/mcp.ts';
import { toSlim } from './slim.ts';

/** One parameter of one tool. */
export interface Parameter {
  readonly name: string;
  /** Slimmed; references still point into `root`. */
  readonly schema: JsonObject;
  readonly required: boolean;
}

/** What a tool takes. */
export interface InputParts {
  readonly parameters: readonly Parameter[];
  /** The whole slimmed schema, for references to be looked up in. */
  readonly root: JsonObject;
  readonly hasReferences: boolean;
  /** At least so many characters the schema has as it was written. */
  readonly weight: number;
}

/** The parameter every folded tool gets; a tool with one of its own is not folded. */
export const ACTION = 'action';

/** What the top of a schema may say for its parameters to be taken out of it. */
const PLAIN_KEYS: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  '$schema',
  '$defs',
  'definitions',
  'title',
  'description',
  '$comment',
]);

/** Takes a tool's input apart; undefined when the tool has to stay as it is. */
export function toInputParts(definition: Definition): InputParts | undefined {
  const { inputSchema: schema } = definition;
  if (!isJsonObject(schema) || !isPlain(schema) || isBound(definition)) return undefined;
  const { schema: root, isOdd, hasReferences, weight } = toSlim(schema);
  if (isOdd || !isJsonObject(root)) return undefined;
  const properties = isJsonObject(root['properties']) ? root['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  if (Object.hasOwn(properties, ACTION) || !required.every((name) => Object.hasOwn(properties, String(name))))
    return undefined;
  const entries = Object.entries(properties);
  if (!entries.every(([, value]) => isJsonObject(value) || value === true)) return undefined;
  const parameters = entries.map(([name, value]) => ({
    name,
    schema: isJsonObject(value) ? value : {},
    required: required.includes(name),
  }));
  return { parameters, root, hasReferences, weight };
}

function isPlain(schema: JsonObject): boolean {
  const { type = 'object', additionalProperties } = schema;
  return (
    type === 'object' &&
    Object.keys(schema).every((key) => PLAIN_KEYS.has(key)) &&
    (additionalProperties === undefined ||
      typeof additionalProperties === 'boolean' ||
      isEmpty(additionalProperties)) &&
    (schema['properties'] === undefined || isJsonObject(schema['properties'])) &&
    (schema['required'] === undefined || Array.isArray(schema['required']))
  );
}

function isEmpty(value: JsonValue): boolean {
  return isJsonObject(value) && Object.keys(value).length === 0;
}

/** A tool with a page of its own, or one that only runs as a task, is known to its host by what a group cannot say. */
function isBound({ _meta: meta, execution }: Definition): boolean {
  const hasPage = isJsonObject(meta) && ['ui', ...PAGE_MEMBERS].some((key) => Object.hasOwn(meta, key));
  return hasPage || (isJsonObject(execution) && execution['taskSupport'] === 'required');
}

/** A tool's input as a TypeScript-like signature: what a model needs to call it, in few tokens and bounded size. */
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { Definition } from '../model/mcp.ts';
import { type TypeText, toShownName, toTypeText } from './type-text.ts';

/** A signature, and whether it says all that is needed to build a valid call. */
export interface Signature {
  /** Parameters in brackets, such as `(path: string, limit?: integer 1..100 =20)`. */
  readonly text: string;
  /** False when something that a call must respect did not fit or cannot be said this way. */
  readonly complete: boolean;
}

/** Sizes in characters. */
export interface SignatureLimits {
  /** What optional parameters may fill; required ones are always named. */
  readonly soft: number;
  /** What nothing may exceed. */
  readonly hard: number;
}

const DEFAULT_LIMITS: SignatureLimits = { soft: 300, hard: 700 };

interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly type: TypeText;
}

/** Renders the input of a tool. */
export function toSignature(tool: Definition, limits: SignatureLimits = DEFAULT_LIMITS): Signature {
  const schema = isJsonObject(tool['inputSchema']) ? tool['inputSchema'] : {};
  const parameters = parametersOf(schema);
  const required = parameters.filter((parameter) => parameter.required);
  const optional = parameters.filter((parameter) => !parameter.required);
  const written = required.map((parameter) => write(parameter, true));
  let size = written.reduce((sum, text) => sum + text.length + 2, 0);
  let complete = required.every(({ type }) => type.complete) && !hasRootRules(schema);
  if (size > limits.hard) {
    complete = false;
    for (const [at, parameter] of required.entries()) written[at] = write(parameter, false);
  }
  let omitted = 0;
  for (const parameter of optional) {
    const text = write(parameter, size < limits.soft);
    if (size + text.length > limits.soft) omitted += 1;
    else {
      written.push(text);
      size += text.length + 2;
    }
  }
  if (omitted > 0) written.push(`…${omitted} more optional`);
  return { text: clip(`(${written.join(', ')})`, limits.hard * 2), complete };
}

/** Names of parameters in the order of the schema, with what each takes. */
function parametersOf(schema: JsonObject): Parameter[] {
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const unsaid = [...required].filter((name) => typeof name === 'string' && !Object.hasOwn(properties, name));
  const described = [...Object.entries(properties), ...unsaid.map((name) => [String(name), true] as const)];
  return described.map(([name, property]) => ({
    name,
    required: required.has(name),
    type: toTypeText(property, schema),
  }));
}

function write({ name, required, type }: Parameter, detailed: boolean): string {
  const shown = toShownName(name);
  return detailed ? `${shown}${required ? '' : '?'}: ${type.text}` : `${shown}${required ? '' : '?'}`;
}

/** Rules over several parameters have no place in a signature; a call built from it could break them. */
const ROOT_RULES: readonly string[] = [
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'minProperties',
  'patternProperties',
  'propertyNames',
  '$ref',
];

function hasRootRules(schema: JsonObject): boolean {
  return ROOT_RULES.some((keyword) => isRule(schema[keyword]));
}

function isRule(value: JsonValue | undefined): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

function clip(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit - 1)}…`;
}

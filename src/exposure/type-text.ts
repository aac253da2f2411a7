/** One JSON Schema as a short TypeScript-like type, with enums, defaults and the limits a value must keep. */
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { followPointer } from './json-pointer.ts';

/** A rendered type, and whether it says all that a valid value must respect. */
export interface TypeText {
  readonly text: string;
  readonly complete: boolean;
  /** True for alternatives, which need brackets inside a list. */
  readonly isUnion?: boolean;
}

const MAX_DEPTH = 4;
const MAX_PARTS = 300;
const MAX_ENUM = 24;
const MAX_PATTERN = 60;

/** Keywords a type cannot show but a value might break. */
const UNSHOWN: readonly string[] = [
  'not',
  'if',
  'contains',
  'uniqueItems',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
  'propertyNames',
  'minProperties',
  'maxProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
];

/** Renders a schema; `root` is where local references are looked up. */
export function toTypeText(schema: JsonValue | undefined, root: JsonObject): TypeText {
  return renderWithDefault(schema, { root, left: MAX_PARTS }, 0);
}

/** Where references are looked up, and how many more parts may be rendered: some schemas never end. */
interface Place {
  readonly root: JsonObject;
  left: number;
}

function renderWithDefault(schema: JsonValue | undefined, place: Place, depth: number): TypeText {
  const { text, complete } = render(schema, place, depth);
  const fallback = isJsonObject(schema) ? schema['default'] : undefined;
  return {
    text: fallback === undefined || fallback === null ? text : `${text} =${brief(fallback)}`,
    complete,
  };
}

function render(schema: JsonValue | undefined, place: Place, depth: number): TypeText {
  if (!isJsonObject(schema)) return { text: 'any', complete: schema !== false };
  place.left -= 1;
  if (depth > MAX_DEPTH || place.left < 0) return { text: 'any', complete: false };
  const target = resolve(schema, place.root);
  if (!target) return { text: 'any', complete: false };
  const shown = renderKnown(target, place, depth);
  const hidden = UNSHOWN.some((keyword) => target[keyword] !== undefined && target[keyword] !== false);
  return hidden ? { ...shown, complete: false } : shown;
}

function renderKnown(schema: JsonObject, place: Place, depth: number): TypeText {
  const { const: constant, enum: values, anyOf, oneOf, allOf, type } = schema;
  if (constant !== undefined) return renderEnum([constant]);
  if (Array.isArray(values)) return renderEnum(values);
  const variants = Array.isArray(anyOf) ? anyOf : oneOf;
  if (Array.isArray(variants))
    return union(variants.map((variant) => render(merge(schema, variant), place, depth + 1)));
  if (Array.isArray(allOf)) return render(mergeAll(schema, allOf, place.root), place, depth + 1);
  if (Array.isArray(type))
    return union(type.map((each) => render({ ...schema, type: each }, place, depth + 1)));
  return renderType(schema, place, depth);
}

function renderType(schema: JsonObject, place: Place, depth: number): TypeText {
  switch (schema['type'] ?? guessType(schema)) {
    case 'string':
      return renderText(schema);
    case 'integer':
    case 'number':
      return { text: `${schema['type']}${toRange(schema)}`, complete: schema['multipleOf'] === undefined };
    case 'boolean':
      return { text: 'boolean', complete: true };
    case 'null':
      return { text: 'null', complete: true };
    case 'array':
      return renderArray(schema, place, depth);
    case 'object':
      return renderObject(schema, place, depth);
    default:
      return { text: 'any', complete: true };
  }
}

function guessType(schema: JsonObject): string | undefined {
  if (schema['properties'] !== undefined) return 'object';
  return schema['items'] === undefined ? undefined : 'array';
}

function renderEnum(values: readonly JsonValue[]): TypeText {
  const shown = values.slice(0, MAX_ENUM).map(brief);
  // A value that had to be cut cannot be written; with others to choose from that is no loss.
  const complete = shown.some((text) => !text.endsWith('…'));
  return { text: `${shown.join('|')}${values.length > MAX_ENUM ? '|…' : ''}`, complete };
}

function renderText(schema: JsonObject): TypeText {
  const { format, pattern, minLength, maxLength } = schema;
  const length = toBounds(numberOf(minLength), numberOf(maxLength));
  const kind = `${typeof format === 'string' ? `string<${toLine(format)}>` : 'string'}${length && `(${length} chars)`}`;
  if (pattern === undefined) return { text: kind, complete: true };
  const shown = typeof pattern === 'string' && pattern.length <= MAX_PATTERN;
  return { text: `${kind}${shown ? ` /${toLine(String(pattern))}/` : ''}`, complete: shown };
}

function renderArray(schema: JsonObject, place: Place, depth: number): TypeText {
  const { items, minItems, maxItems } = schema;
  const tuple = schema['prefixItems'] ?? items;
  if (Array.isArray(tuple)) {
    const parts = tuple.map((item) => render(item, place, depth + 1));
    return {
      text: `[${parts.map(({ text }) => text).join(', ')}]`,
      complete: parts.every(({ complete }) => complete),
    };
  }
  const item = items === undefined ? { text: 'any', complete: true } : render(items, place, depth + 1);
  const bounds = toBounds(numberOf(minItems), numberOf(maxItems));
  const isLoose = item.isUnion || (/[|\s]/.test(item.text) && !item.text.startsWith('{'));
  const inner = isLoose ? `(${item.text})` : item.text;
  return { text: `${inner}[${bounds}]`, complete: item.complete };
}

function renderObject(schema: JsonObject, place: Place, depth: number): TypeText {
  const { properties, required, additionalProperties } = schema;
  if (!isJsonObject(properties) || Object.keys(properties).length === 0) {
    if (!isJsonObject(additionalProperties)) return { text: 'object', complete: true };
    const value = render(additionalProperties, place, depth + 1);
    return { text: `{[key]: ${value.text}}`, complete: value.complete };
  }
  const needed = new Set(Array.isArray(required) ? required : []);
  const members = Object.entries(properties).map(([name, property]) => {
    const { text, complete } = renderWithDefault(property, place, depth + 1);
    return {
      text: `${toShownName(name)}${needed.has(name) ? '' : '?'}: ${text}`,
      complete: complete || !needed.has(name),
    };
  });
  return {
    text: `{${members.map(({ text }) => text).join(', ')}}`,
    complete: members.every(({ complete }) => complete),
  };
}

function resolve(schema: JsonObject, root: JsonObject): JsonObject | undefined {
  let current: JsonObject = schema;
  for (let hop = 0; hop < 8; hop++) {
    const { $ref: reference } = current;
    if (typeof reference !== 'string') return current;
    const target = followPointer(reference, root);
    if (!isJsonObject(target)) return undefined;
    current = { ...target, ...without(current, '$ref') };
  }
  return undefined;
}

/** Everything `allOf` asks for as one schema; parts that cannot be found ask for nothing. */
function mergeAll(schema: JsonObject, parts: readonly JsonValue[], root: JsonObject): JsonObject {
  const found = parts.map((part) => (isJsonObject(part) ? resolve(part, root) : undefined));
  return found.reduce<JsonObject>((whole, part) => merge(whole, part), without(schema, 'allOf'));
}

function merge(base: JsonObject, extra: JsonValue | undefined): JsonObject {
  const rest = without(without(without(base, 'anyOf'), 'oneOf'), 'default');
  if (!isJsonObject(extra)) return rest;
  const properties = { ...asObject(rest['properties']), ...asObject(extra['properties']) };
  const required = [...asList(rest['required']), ...asList(extra['required'])];
  return {
    ...rest,
    ...extra,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

function union(parts: readonly TypeText[]): TypeText {
  const texts = [...new Set(parts.map(({ text }) => text))];
  return {
    text: texts.join('|'),
    complete: parts.some(({ complete }) => complete),
    isUnion: texts.length > 1,
  };
}

function toRange(schema: JsonObject): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const low = numberOf(minimum) ?? above(numberOf(exclusiveMinimum), schema, 1);
  const high = numberOf(maximum) ?? above(numberOf(exclusiveMaximum), schema, -1);
  const bounds = toBounds(low, high);
  return bounds && ` ${bounds}`;
}

/** The nearest whole number inside an exclusive bound; for fractions a hair inside is close enough to say. */
function above(bound: number | undefined, schema: JsonObject, step: number): number | undefined {
  if (bound === undefined) return undefined;
  return schema['type'] === 'integer' ? bound + step : bound + step * 1e-6;
}

function toBounds(low: number | undefined, high: number | undefined): string {
  if (low === undefined && high === undefined) return '';
  // Bounds no value ever meets say nothing.
  const upper = high !== undefined && high < Number.MAX_SAFE_INTEGER ? String(high) : '';
  const lower = low !== undefined && low > Number.MIN_SAFE_INTEGER ? String(low) : '';
  return lower === '' && upper === '' ? '' : `${lower}..${upper}`;
}

function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function brief(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}

function without(schema: JsonObject, key: string): JsonObject {
  const { [key]: _dropped, ...rest } = schema;
  return rest;
}

function asObject(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function asList(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** A parameter's name as it can stand in a signature; whatever could pass for more is quoted. */
export function toShownName(name: string): string {
  return /^[A-Za-z_$][\w$-]*$/.test(name) ? name : JSON.stringify(name);
}

/** What a server wrote stays on its line: a break could pass for another tool. */
function toLine(text: string): string {
  return text.replace(/[\s\p{C}]+/gu, ' ');
}

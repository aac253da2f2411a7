/** Takes out of a schema what a call does not need: titles, dialects, words that only repeat a name; types, choices, defaults and limits stay. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { repeats, toShortText } from './short-text.ts';

/** Keywords whose members are schemas by name. */
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** Keywords whose value is a schema, or a list of them. */
const NESTED: ReadonlySet<string> = new Set([
  'items',
  'prefixItems',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'anyOf',
  'oneOf',
  'allOf',
]);
const DROPPED: ReadonlySet<string> = new Set([
  'title',
  '$schema',
  '$comment',
  'examples',
  'example',
  'deprecated',
  'markdownDescription',
]);
/** Formats that say all a long pattern beside them would. */
const FORMATS: ReadonlySet<string> = new Set([
  'uuid',
  'email',
  'date',
  'time',
  'date-time',
  'uri',
  'url',
  'ipv4',
  'ipv6',
  'duration',
]);
const SHORT_PATTERN = 40;
/** How long a description of one parameter may be. */
const MAX_DESCRIPTION = 160;
/** Deeper than this, or larger, a schema is not worth anybody's time. */
const MAX_DEPTH = 40;
const MAX_PARTS = 20_000;
/** What refers to other places this often takes too long to follow. */
const MAX_REFERENCES = 500;
/** Words of other dialects, and of references that do not say plainly where they point. */
const ODD: ReadonlySet<string> = new Set([
  '$id',
  'id',
  '$anchor',
  '$dynamicRef',
  '$dynamicAnchor',
  '$recursiveRef',
  '$recursiveAnchor',
  '$vocabulary',
  'dependencies',
]);

const OWN = { enumerable: true, configurable: true, writable: true };

/** A schema made slim, with what was met on the way. */
export interface SlimSchema {
  readonly schema: JsonValue;
  /** True when it cannot be moved elsewhere and still mean the same. */
  readonly isOdd: boolean;
  readonly hasReferences: boolean;
  /** At least so many characters it had before. */
  readonly weight: number;
}

/** Makes a schema slim. */
export function toSlim(schema: JsonValue): SlimSchema {
  const met = { isOdd: false, references: 0, weight: 0, left: MAX_PARTS };
  const slimmed = slim(schema, '', 0, met);
  const isOdd = met.isOdd || met.references > MAX_REFERENCES;
  return { schema: slimmed, isOdd, hasReferences: met.references > 0, weight: met.weight };
}

interface Met {
  isOdd: boolean;
  references: number;
  weight: number;
  left: number;
}

/** A schema without what a call does not need; `name` is the parameter it is the schema of, empty further down. */
function slim(schema: JsonValue, name: string, depth: number, met: Met): JsonValue {
  met.left -= 1;
  if (!isJsonObject(schema)) return schema;
  if (depth > MAX_DEPTH || met.left < 0) {
    met.isOdd = true;
    return schema;
  }
  const slimmed: Record<string, JsonValue> = {};
  for (const key of Object.keys(schema)) {
    const value = schema[key];
    // Quotes, colon and comma.
    met.weight += key.length + 4 + (typeof value === 'string' ? value.length + 2 : 1);
    if (value === undefined || key === '__proto__' || isNeedless(key, value, schema)) continue;
    look(key, value, met);
    const kept = key === 'description' ? toDescription(value, name) : slimMember(key, value, depth, met);
    if (kept !== undefined) slimmed[key] = kept;
  }
  return slimmed;
}

function look(key: string, value: JsonValue, met: Met): void {
  if (key === '$ref') {
    met.references += 1;
    if (typeof value !== 'string' || !value.startsWith('#/')) met.isOdd = true;
  }
  const isOldTuple = key === 'items' && Array.isArray(value);
  const isOldBound = (key === 'exclusiveMinimum' || key === 'exclusiveMaximum') && typeof value === 'boolean';
  if (ODD.has(key) || isOldTuple || isOldBound) met.isOdd = true;
}

function slimMember(key: string, value: JsonValue, depth: number, met: Met): JsonValue {
  if (MAPS.has(key) && isJsonObject(value)) {
    const members: Record<string, JsonValue> = {};
    for (const name of Object.keys(value)) {
      met.weight += name.length + 4;
      const member = slim(value[name] ?? {}, depth === 0 ? name : '', depth + 1, met);
      // Plain assignment of this one name would not make a member.
      if (name === '__proto__') Object.defineProperty(members, name, { ...OWN, value: member });
      else members[name] = member;
    }
    return members;
  }
  if (!NESTED.has(key)) return value;
  return Array.isArray(value)
    ? value.map((each: JsonValue) => slim(each, '', depth + 1, met))
    : slim(value, '', depth + 1, met);
}

function isNeedless(key: string, value: JsonValue, schema: JsonObject): boolean {
  if (DROPPED.has(key)) return true;
  switch (key) {
    case 'additionalProperties':
      // What is said to be open is open unsaid; what is closed is checked before anything is sent.
      return typeof value === 'boolean' || (isJsonObject(value) && Object.keys(value).length === 0);
    case 'required':
      return Array.isArray(value) && value.length === 0;
    case 'minimum':
    case 'maximum':
      return typeof value === 'number' && Math.abs(value) >= Number.MAX_SAFE_INTEGER;
    case 'pattern':
      return FORMATS.has(String(schema['format'])) && String(value).length > SHORT_PATTERN;
    default:
      return false;
  }
}

function toDescription(value: JsonValue, name: string): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = toShortText(value, MAX_DESCRIPTION);
  return name !== '' && repeats(text, name) ? undefined : text;
}

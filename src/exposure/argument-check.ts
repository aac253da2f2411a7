/** Checks arguments with Ajv in the dialect the schema names; compiled once a tool, loaded on first use. */
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Entry } from '../catalog/catalog.ts';
import { onceLoaded } from '../lib/once-loaded.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { Definition } from '../model/mcp.ts';
import type { ArgumentCheck, ArgumentFault } from './ports.ts';

/** Schemas larger than this are not compiled: they are not worth the time of everybody else. */
const MAX_SCHEMA_SIZE = 256 * 1024;
/** References can make a small schema enormous: one that unfolds to more than this is left to its server. */
const MAX_PARTS = 5_000;
const MAX_FAULTS = 8;

type Compile = (schema: JsonObject) => ValidateFunction;

/** Creates a check shared by all conversations. */
export function createArgumentCheck(): ArgumentCheck {
  const compiled = new WeakMap<Definition, ValidateFunction | 'unusable'>();
  const load = onceLoaded(loadAjv);

  async function validatorOf({ definition }: Entry): Promise<ValidateFunction | 'unusable'> {
    const known = compiled.get(definition);
    if (known !== undefined) return known;
    const validator = tryCompile(definition['inputSchema'], await load());
    compiled.set(definition, validator);
    return validator;
  }

  return {
    async check(entry, args) {
      const validate = await validatorOf(entry);
      if (validate === 'unusable' || validate(args)) return [];
      return toFaults(validate.errors ?? []);
    },
  };
}

/** A schema that cannot be compiled is not checked; the server judges for itself. */
function tryCompile(schema: Definition[string], compile: Compile): ValidateFunction | 'unusable' {
  if (!isJsonObject(schema) || JSON.stringify(schema).length > MAX_SCHEMA_SIZE) return 'unusable';
  if (countParts(schema, schema, MAX_PARTS) <= 0) return 'unusable';
  try {
    return compile(schema);
  } catch {
    return 'unusable';
  }
}

async function loadAjv(): Promise<Compile> {
  const [{ Ajv2020 }, { Ajv }] = await Promise.all([import('ajv/dist/2020.js'), import('ajv')]);
  // Formats are hints here, and nothing is ever fetched: a remote reference fails to compile.
  const options = {
    strict: false,
    allErrors: true,
    validateFormats: false,
    logger: false,
    inlineRefs: false,
    code: { regExp: Object.assign(toBoundedPattern, { code: 'toBoundedPattern' }) },
  } as const;
  const newest = new Ajv2020(options);
  const older = new Ajv(options);
  return (schema) => {
    const { $id: _id, ...anonymous } = schema;
    const dialect = String(schema['$schema'] ?? '');
    const ajv = /draft-0[467]/.test(dialect) ? older : newest;
    const plain = withoutDialect(anonymous);
    const validate = ajv.compile(plain);
    // Kept by us for as long as the tool is; Ajv would keep it for good.
    ajv.removeSchema(plain);
    return validate;
  };
}

function withoutDialect({ $schema: _dialect, ...schema }: JsonObject): JsonObject {
  return schema;
}

function toFaults(errors: readonly ErrorObject[]): ArgumentFault[] {
  // A union reports every branch; the branch that comes closest is told by its own faults already.
  const plain = errors.filter(
    ({ keyword }) => keyword !== 'anyOf' && keyword !== 'oneOf' && keyword !== 'if',
  );
  return (plain.length > 0 ? plain : [...errors]).slice(0, MAX_FAULTS).map(toFault);
}

function toFault({ keyword, instancePath, params, message }: ErrorObject): ArgumentFault {
  const path = toPathText(instancePath);
  const details = params as Record<string, unknown>;
  switch (keyword) {
    case 'required':
      return { path, problem: `"${String(details['missingProperty'])}" is missing` };
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const unknown = String(details['additionalProperty'] ?? details['unevaluatedProperty']);
      return { path, problem: `"${unknown}" is not known`, unknown };
    }
    case 'enum':
      return {
        path,
        problem: `has to be one of ${(details['allowedValues'] as unknown[])
          .map((v) => JSON.stringify(v))
          .join(', ')
          .slice(0, 300)}`,
      };
    case 'type':
      return { path, problem: `has to be ${[details['type']].flat().join(' or ')}` };
    default:
      return { path, problem: message ?? keyword };
  }
}

/** `/items/0/name` as `items[0].name`. */
function toPathText(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce(
      (path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === '' ? part : `${path}.${part}`),
      '',
    );
}

/** How much of a budget is left after unfolding a schema with its references. */
function countParts(value: JsonValue | undefined, root: JsonObject, budget: number): number {
  let left = budget - 1;
  if (left <= 0 || typeof value !== 'object' || value === null) return left;
  const reference = isJsonObject(value) ? value['$ref'] : undefined;
  if (typeof reference === 'string' && reference.startsWith('#/')) {
    const target = reference
      .slice(2)
      .split('/')
      .reduce<JsonValue | undefined>((at, key) => (isJsonObject(at) ? at[key] : undefined), root);
    // A schema that contains itself has no end to count; Ajv calls itself for it, and so does the value's depth.
    if (isJsonObject(target) && !contains(target, reference)) left = countParts(target, root, left);
  }
  for (const child of Object.values(value)) left = left <= 0 ? 0 : countParts(child, root, left);
  return left;
}

function contains(schema: JsonObject, reference: string): boolean {
  return JSON.stringify(schema).includes(JSON.stringify(reference));
}

/** Patterns that may take for ever are left to the server that wrote them, and so are texts too long for any. */
function toBoundedPattern(pattern: string, flags: string): RegExp {
  const isSafe = !/\)[*+{?]|\\[1-9]/.test(pattern);
  return isSafe ? new BoundedPattern(pattern, flags) : /(?:)/;
}

const MAX_MATCHED = 2_000;

class BoundedPattern extends RegExp {
  override test(text: string): boolean {
    return text.length > MAX_MATCHED || super.test(text);
  }
}

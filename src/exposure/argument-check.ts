/** Checks arguments with Ajv in the dialect the schema names; compiled once a tool, loaded on first use. */
import type { ErrorObject, ValidateFunction } from 'ajv';
import type { Entry } from '../catalog/catalog.ts';
import { onceLoaded } from '../lib/once-loaded.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import type { Definition } from '../model/mcp.ts';
import { toBoundedPattern } from './bounded-pattern.ts';
import { whyUnchecked } from './checkable.ts';
import type { ArgumentCheck, ArgumentFault } from './ports.ts';
import { withoutOtherBranches } from './union-faults.ts';

const MAX_FAULTS = 8;
/** A long list may have a fault in each item; the first will do. */
const MAX_ERRORS = 200;

type Compile = (schema: JsonObject) => ValidateFunction;

/** Told once of each tool whose schema cannot be used, and why. */
export type OnUnchecked = (entry: Entry, reason: string) => void;

/** Creates a check shared by all conversations. */
export function createArgumentCheck(onUnchecked?: OnUnchecked): ArgumentCheck {
  const compiled = new WeakMap<Definition, ValidateFunction | 'unusable'>();
  const load = onceLoaded(loadAjv);

  async function validatorOf(entry: Entry): Promise<ValidateFunction | 'unusable'> {
    const { definition } = entry;
    const compile = await load();
    const known = compiled.get(definition);
    if (known !== undefined) return known;
    const { inputSchema: schema } = definition;
    const outcome = isJsonObject(schema) ? tryCompile(schema, compile) : { reason: 'it is not an object' };
    const validator = typeof outcome === 'function' ? outcome : 'unusable';
    compiled.set(definition, validator);
    if ('reason' in outcome) onUnchecked?.(entry, outcome.reason);
    return validator;
  }

  return {
    async check(entry, args) {
      const validate = await validatorOf(entry);
      if (validate === 'unusable' || validate(args)) return [];
      return toFaults(validate);
    },
  };
}

/** A schema that cannot be compiled is not checked; the server judges for itself. */
function tryCompile(schema: JsonObject, compile: Compile): ValidateFunction | { readonly reason: string } {
  const reason = whyUnchecked(schema);
  if (reason !== undefined) return { reason };
  try {
    return compile(schema);
  } catch (error) {
    return { reason: error instanceof Error ? error.message.slice(0, 300) : 'it does not compile' };
  }
}

async function loadAjv(): Promise<Compile> {
  const [{ Ajv2020 }, { Ajv }] = await Promise.all([import('ajv/dist/2020.js'), import('ajv')]);
  // Formats are hints here, and nothing is ever fetched: a remote reference fails to compile.
  const options = {
    strict: false,
    allErrors: true,
    // With the schemas that errors are of: it takes them to tell the branches of a union apart.
    verbose: true,
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

function toFaults({ errors, schema }: ValidateFunction): ArgumentFault[] {
  const closest = withoutOtherBranches((errors ?? []).slice(0, MAX_ERRORS), schema as JsonObject);
  const plain = closest.filter(({ keyword }) => keyword !== 'if');
  const faults = (plain.length > 0 ? plain : closest).map(toFault);
  const unlike = new Map(faults.map((fault) => [`${fault.path}\0${fault.problem}`, fault]));
  return [...unlike.values()].slice(0, MAX_FAULTS);
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
    case 'const':
      return { path, problem: `has to be ${JSON.stringify(details['allowedValue']).slice(0, 300)}` };
    case 'type':
      return { path, problem: `has to be ${[details['type']].flat().join(' or ').slice(0, 300)}` };
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

/** Calls a tool whose schema the model has not seen: arguments are checked first, and faults answered so that it can mend them. */
import type { Entry } from '../catalog/catalog.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { didYouMean, editDistance } from '../lib/nearest.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import type { CatalogView } from '../policy/policy.ts';
import { toFault } from './answers.ts';
import type { ArgumentFault, ModePorts } from './ports.ts';
import { toSignature } from './signature.ts';
import { toPath } from './tool-path.ts';

/** Checks and calls; whatever keeps the tool from running is a result the model can read. */
export async function callChecked(
  entry: Entry,
  args: JsonObject,
  params: JsonObject,
  view: CatalogView,
  { argumentCheck }: ModePorts,
): Promise<JsonObject> {
  const faults = [...(await argumentCheck.check(entry, args)), ...findMistyped(entry, args)];
  if (faults.length > 0) return toFault(sayFaults(entry, faults));
  try {
    return await view.use('tool', entry.publicName, { ...params, arguments: args });
  } catch (error) {
    // Only what keeps the server from being reached is put in words; its own errors pass as they are.
    if (!(error instanceof GatewayError) || error.row.blame === 'client') throw error;
    const { usable, advice } = view.standing(entry.upstream);
    return toFault(usable ? error.message : `${entry.upstream} ${advice}`);
  }
}

function sayFaults(entry: Entry, faults: readonly ArgumentFault[]): string {
  const known = knownNames(entry);
  const lines = faults.map(
    ({ path, problem, unknown }) =>
      `- ${path === '' ? '' : `${path}: `}${problem}${unknown === undefined ? '' : didYouMean(unknown, known)}`,
  );
  return [
    `the arguments of ${toPath(entry)} are wrong:`,
    ...lines,
    `${toPath(entry)}${toSignature(entry.definition).text}`,
  ].join('\n');
}

/** What lets a schema take names its properties do not have; a closed one is checked already. */
const OPENERS: readonly string[] = [
  'additionalProperties',
  'unevaluatedProperties',
  'patternProperties',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'dependentSchemas',
  'dependencies',
  '$ref',
  '$dynamicRef',
];

/** Where a schema says nothing of other names, one that is nearly its own is a slip: running without it could do harm. */
function findMistyped(entry: Entry, args: JsonObject): ArgumentFault[] {
  const schema = entry.definition['inputSchema'];
  if (!isJsonObject(schema) || OPENERS.some((keyword) => Object.hasOwn(schema, keyword))) return [];
  const known = knownNames(entry);
  const absent = known.filter((name) => !Object.hasOwn(args, name));
  return Object.keys(args)
    .filter((key) => !known.includes(key) && absent.some((name) => isSlip(key, name)))
    .map((unknown) => ({ path: '', problem: `"${unknown}" is not known`, unknown }));
}

/** Spelled in another style, or with at most one edit in four letters. */
function isSlip(key: string, name: string): boolean {
  const [written, meant] = [toLetters(key), toLetters(name)];
  return written === meant || editDistance(written, meant) <= Math.floor(meant.length / 4);
}

function toLetters(name: string): string {
  return name.toLowerCase().replace(/[\s_.-]/g, '');
}

function knownNames(entry: Entry): string[] {
  const schema = entry.definition['inputSchema'];
  const properties = isJsonObject(schema) ? schema['properties'] : undefined;
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

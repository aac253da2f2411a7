/** Of a union that no branch of accepts a value: the faults of the branch that was most likely meant. */
import type { ErrorObject } from 'ajv';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { followPointer } from './json-pointer.ts';

/** The errors without those of branches that were hardly meant; `root` is the schema they are of. */
export function withoutOtherBranches(errors: readonly ErrorObject[], root: JsonObject): ErrorObject[] {
  const told: ErrorObject[] = [];
  for (const error of errors) {
    if (error.keyword !== 'anyOf' && error.keyword !== 'oneOf') told.push(error);
    else {
      // A union comes after what its branches found, which lies in the same part of the value.
      const before = told.findLastIndex(({ instancePath }) => !isInside(instancePath, error.instancePath));
      told.push(...toClosest(error, told.splice(before + 1), root));
    }
  }
  return told;
}

function isInside(path: string, part: string): boolean {
  return path === part || path.startsWith(`${part}/`);
}

function toClosest(union: ErrorObject, found: readonly ErrorObject[], root: JsonObject): ErrorObject[] {
  const { branches, others } = sortByBranch(union, found, root);
  const [first] = branches;
  if (!first) return [...others, union];
  const pins = branches.flatMap((branch) => findPin(branch, union) ?? []);
  const [pin] = pins;
  if (pin && pins.length === branches.length && pins.every((each) => each.instancePath === pin.instancePath))
    return [...others, { ...pin, keyword: 'type', params: { type: [...new Set(pins.flatMap(toWanted))] } }];
  const isPinned = (branch: readonly ErrorObject[]) => Number(findPin(branch, union) !== undefined);
  const [closest = first] = branches.toSorted((a, b) => isPinned(a) - isPinned(b) || a.length - b.length);
  return [...others, ...closest];
}

/** What each branch found, in their order; what no branch can have found is not the union's. */
function sortByBranch(union: ErrorObject, found: readonly ErrorObject[], root: JsonObject) {
  const schemas = Array.isArray(union.schema) ? (union.schema as readonly JsonValue[]) : [];
  const reached = schemas.map((schema) => reach(schema, root));
  const branches: ErrorObject[][] = schemas.map(() => []);
  const others: ErrorObject[] = [];
  let current = 0;
  for (const error of found) {
    const at = reached.findIndex((parts, branch) => branch >= current && parts.has(error.parentSchema));
    if (at === -1) others.push(error);
    else branches[at]?.push(error);
    if (at !== -1) current = at;
  }
  return { branches: branches.filter(({ length }) => length > 0), others };
}

/** Every schema that a branch consists of, with what it refers to. */
function reach(value: JsonValue | undefined, root: JsonObject, found = new Set<unknown>()): Set<unknown> {
  if (typeof value !== 'object' || value === null || found.has(value)) return found;
  found.add(value);
  const reference = isJsonObject(value) ? value['$ref'] : undefined;
  if (typeof reference === 'string') reach(followPointer(reference, root), root, found);
  for (const member of Object.values(value)) reach(member, root, found);
  return found;
}

/** The fault that shows a branch was not meant: the value is of another type, or is marked as another's. */
function findPin(
  branch: readonly ErrorObject[],
  { instancePath: own }: ErrorObject,
): ErrorObject | undefined {
  return branch.find(
    ({ keyword, instancePath }) =>
      keyword === 'const' || (instancePath === own && (keyword === 'type' || keyword === 'enum')),
  );
}

function toWanted({ keyword, params }: ErrorObject): string[] {
  const { type, allowedValue, allowedValues } = params as Record<string, unknown>;
  if (keyword === 'type') return [type].flat().map(String);
  return (keyword === 'const' ? [allowedValue] : (allowedValues as unknown[])).map((value) =>
    JSON.stringify(value),
  );
}

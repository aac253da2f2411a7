/** Whether a schema can be checked at all, as far as that is plain without compiling it. */
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import { isBounded } from './bounded-pattern.ts';
import { followPointer } from './json-pointer.ts';

/** Schemas larger than this are not compiled: they are not worth the time of everybody else. */
const MAX_SCHEMA_SIZE = 256 * 1024;
/** References can make a small schema enormous: one that unfolds to more than this is left to its server. */
const MAX_PARTS = 5_000;

/** Why arguments are not checked against a schema; undefined when there is nothing against it. */
export function whyUnchecked(schema: JsonObject): string | undefined {
  if (JSON.stringify(schema).length > MAX_SCHEMA_SIZE) return 'it is too large';
  if (countParts(schema, schema, MAX_PARTS) <= 0) return 'its references unfold too far';
  return findFlaw(schema, schema);
}

/** Members that hold values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['default', 'const', 'enum', 'examples', 'example']);

/** What cannot be checked in a part of a schema. */
function findFlaw(value: JsonValue | undefined, root: JsonObject): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const flaw = isJsonObject(value) ? findOwnFlaw(value, root) : undefined;
  // What has an id of its own is the root of its references.
  if (flaw !== undefined || (value !== root && isJsonObject(value) && value['$id'] !== undefined))
    return flaw;
  for (const [key, member] of Object.entries(value)) {
    const inner = VALUES.has(key) ? undefined : findFlaw(member, root);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

function findOwnFlaw(
  { $ref: reference, patternProperties }: JsonObject,
  root: JsonObject,
): string | undefined {
  const isLocal = typeof reference === 'string' && reference.startsWith('#/');
  if (isLocal && followPointer(reference, root) === undefined) return `${show(reference)} leads nowhere`;
  // Whether such a name matches decides what is asked of its value, so it cannot be taken on trust.
  const patterns = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
  const endless = patterns.find((pattern) => !isBounded(pattern));
  return endless === undefined ? undefined : `${show(endless)} may take too long to match`;
}

function show(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

/** How much of a budget is left after unfolding a schema with its references. */
function countParts(value: JsonValue | undefined, root: JsonObject, budget: number): number {
  let left = budget - 1;
  if (left <= 0 || typeof value !== 'object' || value === null) return left;
  const reference = isJsonObject(value) ? value['$ref'] : undefined;
  if (typeof reference === 'string' && reference.startsWith('#/')) {
    const target = followPointer(reference, root);
    // A schema that contains itself has no end to count; Ajv calls itself for it, and so does the value's depth.
    if (isJsonObject(target) && !contains(target, reference)) left = countParts(target, root, left);
  }
  for (const child of Object.values(value)) left = left <= 0 ? 0 : countParts(child, root, left);
  return left;
}

function contains(schema: JsonObject, reference: string): boolean {
  return JSON.stringify(schema).includes(JSON.stringify(reference));
}

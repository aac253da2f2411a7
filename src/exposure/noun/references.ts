/** Carries the definitions that parameters refer to into one shared table, so that every reference still means what it meant. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { followPointer } from '../json-pointer.ts';

/** Collects definitions of several schemas. */
export interface DefinitionTable {
  /**
   * A part of `root` with its references pointing into the table; undefined when one of them leads nowhere.
   * References that begin with `own` are left: they point into the part itself, which will stand at the same place.
   */
  adopt(part: JsonObject, root: JsonObject, own?: string): JsonObject | undefined;
  /** What was collected, by name. */
  readonly definitions: JsonObject;
}

/** Creates an empty table. */
export function createDefinitionTable(): DefinitionTable {
  const definitions: Record<string, JsonValue> = {};
  /** Names by what stands behind them: the same pointer may mean different things in two schemas. */
  const names = new Map<string, string>();
  const meanings = new WeakMap<JsonObject, Map<string, string>>();

  function meaningOf(pointer: string, root: JsonObject): string {
    const known = meanings.get(root) ?? new Map<string, string>();
    meanings.set(root, known);
    const found = known.get(pointer);
    if (found !== undefined) return found;
    const meaning = JSON.stringify(Object.entries(toClosure(pointer, root)).sort(byPointer));
    known.set(pointer, meaning);
    return meaning;
  }

  function nameOf(pointer: string, root: JsonObject): string {
    const meaning = meaningOf(pointer, root);
    const known = names.get(meaning);
    if (known !== undefined) return known;
    const name = toFreeName(pointer, definitions);
    names.set(meaning, name);
    // Taken before it is filled: a definition may refer to itself.
    definitions[name] = true;
    definitions[name] = redirect(follow(pointer, root) ?? true, (inner) => `#/$defs/${nameOf(inner, root)}`);
    return name;
  }

  return {
    definitions,
    adopt(part, root, own) {
      if (pointersIn(part).length === 0) return part;
      if (Object.values(toClosure('', root, part)).includes(null)) return undefined;
      const isOwn = (pointer: string) => own !== undefined && pointer.startsWith(own);
      return redirect(part, (pointer) =>
        isOwn(pointer) ? pointer : `#/$defs/${nameOf(pointer, root)}`,
      ) as JsonObject;
    },
  };
}

/** Everything a pointer leads to, by pointer; null for one that leads nowhere. */
function toClosure(start: string, root: JsonObject, part?: JsonValue): Record<string, JsonValue> {
  const found: Record<string, JsonValue> = {};
  const open = part === undefined ? [start] : pointersIn(part);
  for (let pointer = open.pop(); pointer !== undefined; pointer = open.pop()) {
    if (Object.hasOwn(found, pointer)) continue;
    const target = follow(pointer, root);
    found[pointer] = target ?? null;
    if (target !== undefined) pointersIn(target, open);
  }
  // The pointer itself is part of what it means where several lead to the same set.
  return part === undefined ? { ...found, '': start } : found;
}

function byPointer([a]: [string, JsonValue], [b]: [string, JsonValue]): number {
  return a < b ? -1 : 1;
}

function pointersIn(value: JsonValue, found: string[] = []): string[] {
  if (typeof value !== 'object' || value === null) return found;
  if (isJsonObject(value) && typeof value['$ref'] === 'string') found.push(value['$ref']);
  for (const member of Object.values(value)) if (member !== undefined) pointersIn(member, found);
  return found;
}

/** The input as a whole is no definition: its parameters stand among others. */
function follow(pointer: string, root: JsonObject): JsonValue | undefined {
  return pointer === '#' ? undefined : followPointer(pointer, root);
}

function redirect(value: JsonValue, toPointer: (pointer: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((member: JsonValue) => redirect(member, toPointer));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === '$ref' && typeof member === 'string' ? toPointer(member) : redirect(member ?? null, toPointer),
    ]),
  );
}

/** The last word of the pointer, with a number where that is taken. */
function toFreeName(pointer: string, taken: JsonObject): string {
  const word = pointer.split('/').findLast((part) => /[A-Za-z]/.test(part) && part !== 'items') ?? 'part';
  const name =
    word
      .replace(/[^A-Za-z0-9_]+/g, '_')
      .replace(/^_+/, '')
      .slice(0, 40) || 'part';
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}${number}`;
    if (!Object.hasOwn(taken, candidate)) return candidate;
  }
}

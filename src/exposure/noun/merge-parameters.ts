/** Puts the parameters of several tools side by side in one flat schema: what is alike once, what differs as alternatives. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import { ACTION, type InputParts, type Parameter } from './input-parts.ts';
import { createDefinitionTable, type DefinitionTable } from './references.ts';
import { repeats, toCommonBeginning } from './short-text.ts';

/** A tool on its way into a group. */
export interface FoldedInput {
  readonly action: string;
  readonly input: InputParts;
}

/** One tool's form of a parameter. */
interface Use extends Parameter {
  readonly action: string;
  readonly input: InputParts;
}

/** The same with its references pointing to where they will stand. */
interface PlacedUse {
  readonly action: string;
  readonly required: boolean;
  readonly description: string | undefined;
  readonly fallback: JsonValue | undefined;
  /** The schema without its description and default. */
  readonly shape: JsonObject;
}

/** A merged schema, and whether any of its texts marks a parameter as required with a star. */
export interface MergedInput {
  readonly schema: JsonObject;
  readonly stars: boolean;
}

/** So many forms of one parameter are still readable; tools that differ more are not folded together. */
const MAX_SHAPES = 8;

/** Merges; undefined when the tools cannot be told in one schema. When brief, what servers say is left out. */
export function mergeParameters(members: readonly FoldedInput[], brief = false): MergedInput | undefined {
  const table = createDefinitionTable();
  const uses = toUses(brief ? members.map(withoutTexts) : members);
  const actions = members.map(({ action }) => action);
  const properties: [string, JsonObject][] = [[ACTION, { type: 'string', enum: actions }]];
  for (const [name, each] of uses) {
    const property = toProperty(name, each, actions, table);
    if (!property) return undefined;
    properties.push([name, property]);
  }
  const needed = [...uses].filter(([, each]) => isNeededByAll(each, actions)).map(([name]) => name);
  const hasDefinitions = Object.keys(table.definitions).length > 0;
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: [ACTION, ...needed],
      ...(hasDefinitions ? { $defs: table.definitions } : {}),
    },
    stars: [...uses.values()].some(
      (each) => !isNeededByAll(each, actions) && each.some(({ required }) => required),
    ),
  };
}

function withoutTexts({ action, input }: FoldedInput): FoldedInput {
  const parameters = input.parameters.map((parameter) => {
    const { description: _, ...schema } = parameter.schema;
    return { ...parameter, schema };
  });
  return { action, input: { ...input, parameters } };
}

/** Every parameter with the tools that have it, in order of appearance. */
function toUses(members: readonly FoldedInput[]): Map<string, Use[]> {
  const uses = new Map<string, Use[]>();
  for (const { action, input } of members) {
    for (const parameter of input.parameters) {
      const { name, schema, required } = parameter;
      const use = { name, schema, required, action, input };
      const known = uses.get(parameter.name);
      if (known) known.push(use);
      else uses.set(parameter.name, [use]);
    }
  }
  return uses;
}

function place(uses: readonly Use[], table: DefinitionTable, own?: string): PlacedUse[] | undefined {
  const placed: PlacedUse[] = [];
  for (const { action, required, schema, input } of uses) {
    const adopted = input.hasReferences ? table.adopt(schema, input.root, own) : schema;
    if (!adopted) return undefined;
    const { description, default: fallback, ...shape } = adopted;
    placed.push({
      action,
      required,
      description: typeof description === 'string' ? description : undefined,
      fallback,
      shape,
    });
  }
  return placed;
}

function isNeededByAll(uses: readonly Pick<Use, 'required'>[], actions: readonly string[]): boolean {
  return uses.length === actions.length && uses.every(({ required }) => required);
}

/** The uses by form, in order of appearance. */
function toShapes(uses: readonly PlacedUse[]): PlacedUse[][] {
  const shapes: PlacedUse[][] = [];
  for (const use of uses) {
    const same = shapes.find(([first]) => first && isAlike(first.shape, use.shape));
    if (same) same.push(use);
    else shapes.push([use]);
  }
  return shapes;
}

/** True when two schemas take the same values, however they are described. */
function isAlike(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((member: JsonValue, at) => isAlike(member, b[at]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a).filter((key) => !isText(key, a));
  return (
    keys.length === Object.keys(b).filter((key) => !isText(key, b)).length &&
    keys.every((key) => Object.hasOwn(b, key) && isAlike(a[key], b[key]))
  );
}

/** A member called `description` is a text beside a schema, but a parameter among others. */
function isText(key: string, schema: JsonObject): boolean {
  return key === 'description' && typeof schema[key] === 'string';
}

function toProperty(
  name: string,
  uses: readonly Use[],
  actions: readonly string[],
  table: DefinitionTable,
): JsonObject | undefined {
  const who = isNeededByAll(uses, actions) ? '' : sayActions(uses, actions);
  const staying = place(uses, table, `#/properties/${name}/`);
  if (!staying) return undefined;
  const [only, ...others] = toShapes(staying);
  if (only && others.length === 0) return describe(name, only, who);
  // As one alternative of several it no longer stands where its own references point.
  const shapes = toShapes(place(uses, table) ?? []);
  if (shapes.length > MAX_SHAPES) return undefined;
  const anyOf = shapes.map((each) => describe(name, each, each.map(({ action }) => action).join(', ')));
  return { ...(who.includes('*') ? { description: who } : {}), anyOf };
}

/** One form of a parameter with what is said of it. */
function describe(name: string, uses: readonly PlacedUse[], who: string): JsonObject {
  const [first] = uses;
  if (!first) return {};
  const agree = new Set(uses.map(({ fallback }) => JSON.stringify(fallback))).size === 1;
  const shared = agree ? first.fallback : undefined;
  const texts = [toBestText(name, uses), agree ? '' : sayDefaults(uses)].filter((text) => text !== '');
  const description = [who, ...texts].filter((text) => text !== '').join(who === '' ? '; ' : ': ');
  return {
    ...first.shape,
    ...(shared === undefined ? {} : { default: shared }),
    ...(description === '' ? {} : { description }),
  };
}

/** What all say alike as far as they go; else what most say, and of that the shortest. */
function toBestText(name: string, uses: readonly PlacedUse[]): string {
  const counts = new Map<string, number>();
  for (const { description = '' } of uses)
    if (description !== '') counts.set(description, (counts.get(description) ?? 0) + 1);
  const texts = [...counts.keys()];
  const common = texts.length > 1 ? toCommonBeginning(texts) : '';
  // `The GID of the task to delete` and `… to update` are both about the GID of the task.
  if (common !== '') return repeats(common, name) ? '' : common;
  const [best] = [...counts].sort(([a, n], [b, m]) => m - n || a.length - b.length || (a < b ? -1 : 1));
  return best?.[0] ?? '';
}

function sayDefaults(uses: readonly PlacedUse[]): string {
  const said = uses.filter(({ fallback }) => fallback !== undefined);
  return `default ${said.map(({ action, fallback }) => `${JSON.stringify(fallback)} (${action})`).join(', ')}`;
}

/** For which actions a parameter counts, in few words; a star marks those that require it. */
function sayActions(uses: readonly Use[], actions: readonly string[]): string {
  const needed = uses.filter(({ required }) => required);
  const listed = uses.map(({ action, required }) => `${action}${required ? '*' : ''}`).join(', ');
  if (uses.length === actions.length) {
    return needed.length === 0
      ? ''
      : shorter(listed, `all, ${needed.map(({ action }) => `${action}*`).join(', ')}`);
  }
  if (needed.length !== 0 && needed.length !== uses.length) return listed;
  const others = actions.filter((action) => !uses.some((use) => use.action === action));
  if (others.length >= uses.length) return listed;
  return shorter(listed, `all${needed.length > 0 ? '*' : ''} but ${others.join(', ')}`);
}

function shorter(one: string, other: string): string {
  return other.length < one.length ? other : one;
}

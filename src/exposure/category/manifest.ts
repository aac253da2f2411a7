/** One upstream's tools as the description of one tool: a line an action, enough to call it. */
import type { Entry } from '../../catalog/catalog.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { Definition } from '../../model/mcp.ts';
import { toShownName, toTypeText } from '../type-text.ts';
import { firstSentence } from '../words.ts';

/** How much is said of each action beside its parameters. */
export type Wording = 'brief' | 'bare';

/** An action's line, by how much it says. */
export type ActionLine = Readonly<Record<Wording, string>>;

const WORDS_LIMIT = 35;
/** What of a description is read at all: some go on for pages. */
const READ_LIMIT = 120;
/** What is longer is only hinted at, and the full schema is a question away. */
const TYPE_LIMIT = 90;
/** Values to choose from may take more: without them no call can be made. */
const VALUES_LIMIT = 300;

/** An action as `name(required,other: integer,optional?): first words`, and without the words. */
export function toActionLine(entry: Entry): ActionLine {
  const bare = `${toShownAction(entry.name)}(${toParameters(entry.definition).join(',')})`;
  const words = toWords(entry);
  return { bare, brief: words === '' ? bare : `${bare}: ${words}` };
}

/** Makes lines, each once for as long as its definition is around: a surface is laid out again whenever one server changes. */
export function createLineMaker(): (entry: Entry) => ActionLine {
  const made = new WeakMap<Definition, ActionLine>();
  return (entry) => {
    const line = made.get(entry.definition) ?? toActionLine(entry);
    made.set(entry.definition, line);
    return line;
  };
}

/** A name that could pass for more than a name is quoted, so that it stays one on its line. */
function toShownAction(name: string): string {
  const isPlain = /^[\w.-]+$/.test(name) || !/[\s\p{C}(),:"]/u.test(name);
  return isPlain ? name : JSON.stringify(name);
}

/** Required parameters with types and enums unless they are plain text, then optional ones by name. */
function toParameters(definition: JsonObject): string[] {
  const schema = isJsonObject(definition['inputSchema']) ? definition['inputSchema'] : {};
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  const required = (Array.isArray(schema['required']) ? schema['required'] : []).filter(
    (name): name is string => typeof name === 'string',
  );
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  return [
    ...required.map((name) => toRequired(name, ownProperty(properties, name), schema)),
    ...optional.map((name) => `${toShownName(name)}?`),
  ];
}

/** A parameter that is required but not described may be anything. */
function ownProperty(properties: JsonObject, name: string): JsonValue {
  return Object.hasOwn(properties, name) ? (properties[name] ?? {}) : {};
}

function toRequired(name: string, property: JsonValue, root: JsonObject): string {
  const shown = toShownName(name);
  return isPlainText(property) ? shown : `${shown}: ${toShortType(property, root)}`;
}

/** Text that may be any text; its length is checked when it is called. */
function isPlainText(property: JsonValue): boolean {
  const says = (key: string) => isJsonObject(property) && property[key] !== undefined;
  return (
    isJsonObject(property) &&
    property['type'] === 'string' &&
    !['enum', 'const', 'pattern', 'format'].some(says)
  );
}

function toShortType(property: JsonValue, root: JsonObject): string {
  if (countMembers(property, MAX_MEMBERS) > MAX_MEMBERS) return toHint(property, '');
  const { text } = toTypeText(property, root);
  const values = toValues(text);
  if (values) return cutValues(values);
  return text.length <= TYPE_LIMIT ? text : toHint(property, text);
}

/** More members than this never fit in the limit of a type, and some schemas have thousands. */
const MAX_MEMBERS = 12;

function countMembers(schema: JsonValue | undefined, limit: number): number {
  if (!isJsonObject(schema)) return 0;
  const { properties, items } = schema;
  let count = isJsonObject(items) ? countMembers(items, limit) : 0;
  for (const member of isJsonObject(properties) ? Object.values(properties) : []) {
    if (count > limit) break;
    count += 1 + countMembers(member, limit);
  }
  return count;
}

/** Words that name a type; as values they keep their quotes. */
const TYPE_WORDS = /^(string|integer|number|boolean|object|null|any|true|false)$/;
const WORD_VALUES = /^"[A-Za-z][\w.-]*"(\|"[A-Za-z][\w.-]*")*(\|…)?$/;

/** Plain words to choose from need no quotes, which cost a token each inside JSON. */
function toValues(text: string): readonly string[] | undefined {
  if (!WORD_VALUES.test(text)) return undefined;
  const values = text.replaceAll('"', '').split('|');
  return values.some((value) => TYPE_WORDS.test(value)) ? undefined : values;
}

function cutValues(values: readonly string[]): string {
  const shown: string[] = [];
  let size = 0;
  for (const value of values) {
    size += value.length + 1;
    if (size > VALUES_LIMIT) return [...shown, '…'].join('|');
    shown.push(value);
  }
  return shown.join('|');
}

/** Says what sort of value it is, and that there is more to know. */
function toHint(property: JsonValue, text: string): string {
  const kind = isJsonObject(property) ? property['type'] : undefined;
  if (kind === 'array' || text.endsWith(']')) return '[…]';
  if (kind === 'object' || text.startsWith('{')) return '{…}';
  return typeof kind === 'string' ? `${kind}…` : '…';
}

/** The first words of its description, unless they only say its name again. */
function toWords({ name, definition }: Entry): string {
  const said = String(definition['description'] ?? definition['title'] ?? '').trimStart();
  const text = firstSentence(said.slice(0, READ_LIMIT), WORDS_LIMIT);
  const words = text.endsWith('…') ? toWholeWords(text.slice(0, -1)) : text.replace(/[.!。]+$/, '');
  const named = new Set(toStems(name));
  return toStems(words).every((word) => named.has(word)) ? '' : words;
}

/** Where a sentence had to be cut, it ends with its first clause, or with a word that can end one. */
function toWholeWords(text: string): string {
  const clause = text.search(/[;:(]/);
  const words = (clause > WORDS_LIMIT / 3 ? text.slice(0, clause) : text).split(' ');
  const last = words.findLastIndex((word) => !DANGLING.test(word));
  return words
    .slice(0, last + 1)
    .join(' ')
    .replace(/[\s,.;:(-]+$/, '');
}

/** Words that promise another. */
const DANGLING =
  /^(a|an|the|this|that|these|those|your|its|of|by|to|for|from|in|into|on|at|as|with|within|and|or|is|are|be|which|when|if|it|using|including|based|specific|[^\p{L}\p{N}]*)$/iu;

const EMPTY: ReadonlySet<string> = new Set([
  'a',
  'an',
  'the',
  'of',
  'by',
  'all',
  'your',
  'for',
  'to',
  'with',
]);

function toStems(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !EMPTY.has(word))
    .map((word) => word.replace(/ies$/, 'y').replace(/s$/, ''));
}

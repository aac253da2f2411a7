/** Turns a tool's definition into the text that is searched: bounded, whatever its schema looks like. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { Definition } from '../../model/mcp.ts';

/** The searchable text of one tool. */
export interface SearchDocument {
  /** The tool's own name. */
  readonly name: string;
  readonly title: string;
  /** The first sentence of the description. */
  readonly lead: string;
  /** The rest of the description. */
  readonly description: string;
  /** Names of the parameters a caller fills in directly. */
  readonly parameterNames: readonly string[];
  /** What is said about parameters: their descriptions, allowed values, and names further down. */
  readonly parameterTexts: readonly string[];
}

const MAX_DEPTH = 6;
const MAX_NODES = 400;
const MAX_NAMES = 120;
const MAX_DESCRIPTION = 3_000;
const MAX_PARAMETER_TEXT = 3_000;
const MAX_ONE_TEXT = 400;
const MAX_NAME = 200;
const MAX_ENUM = 24;

/** Derives the searchable text of a tool; its own name counts, whatever clients are shown. */
export function toSearchDocument(definition: Definition, ownName = definition['name']): SearchDocument {
  const annotations = isJsonObject(definition['annotations']) ? definition['annotations'] : {};
  const title = toText(definition['title'], MAX_NAME) || toText(annotations['title'], MAX_NAME);
  const found = new ParameterWalk();
  found.visit(definition['inputSchema'], 0, true);
  const description = toText(definition['description'], MAX_DESCRIPTION);
  const leadEnd = endOfLead(description);
  return {
    name: toText(ownName, MAX_NAME),
    title,
    lead: description.slice(0, leadEnd),
    description: description.slice(leadEnd),
    parameterNames: found.names,
    parameterTexts: found.texts,
  };
}

/** Walks a JSON Schema of any shape within fixed bounds. */
class ParameterWalk {
  readonly names: string[] = [];
  readonly texts: string[] = [];
  #nodes = 0;
  #room = MAX_PARAMETER_TEXT;

  /** `direct` is true while the properties met are the call's own arguments. */
  visit(schema: JsonValue | undefined, depth: number, direct: boolean): void {
    if (!isJsonObject(schema) || depth > MAX_DEPTH || ++this.#nodes > MAX_NODES) return;
    this.#visitProperties(schema, depth, direct);
    for (const keyword of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
      const branches = schema[keyword];
      if (Array.isArray(branches)) for (const branch of branches) this.visit(branch, depth + 1, direct);
    }
    for (const keyword of ['items', 'additionalProperties']) this.visit(schema[keyword], depth + 1, false);
    for (const keyword of ['$defs', 'definitions']) {
      const shared = schema[keyword];
      if (isJsonObject(shared)) for (const part of Object.values(shared)) this.visit(part, depth + 1, false);
    }
  }

  #visitProperties(schema: JsonObject, depth: number, direct: boolean): void {
    const properties = schema['properties'];
    if (!isJsonObject(properties)) return;
    for (const [name, property] of Object.entries(properties)) {
      if (!direct) this.#add(name);
      else if (this.names.length < MAX_NAMES) this.names.push(name.slice(0, MAX_NAME));
      if (!isJsonObject(property)) continue;
      this.#add(toText(property['title'], MAX_NAME));
      this.#add(toText(property['description'], MAX_ONE_TEXT));
      this.#addValues(property['enum']);
      this.visit(property, depth + 1, false);
    }
  }

  #addValues(values: JsonValue | undefined): void {
    if (!Array.isArray(values)) return;
    for (const value of values.slice(0, MAX_ENUM)) this.#add(toText(value, MAX_NAME));
  }

  #add(text: string): void {
    const fitting = text.slice(0, Math.max(0, this.#room));
    if (fitting === '') return;
    this.texts.push(fitting);
    this.#room -= fitting.length;
  }
}

/** Where the first sentence ends; a dot inside a word such as `v1.2` or `node.js` does not end one. */
function endOfLead(text: string): number {
  for (let index = 1; index < text.length; index++) {
    const letter = text[index];
    if (letter === '\n' || letter === '。') return index;
    if ((letter === '.' || letter === '!' || letter === '?') && (text[index + 1] ?? ' ') <= ' ') return index;
  }
  return text.length;
}

function toText(value: JsonValue | undefined, maxLength: number): string {
  return typeof value === 'string' ? value.slice(0, maxLength) : '';
}

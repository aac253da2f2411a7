/** YAML: pairs and items are put in and taken out as lines, everything else keeps its bytes. */
import type * as Yaml from 'yaml';
import {
  indentAt,
  lineEnd,
  lineStart,
  nextLine,
  splice,
  splitBom,
  toEol,
  toLineNumber,
} from '../../config/edit/text.ts';
import { type JsonPath, nest } from '../../config/jsonc.ts';
import type { JsonValue } from '../../model/json.ts';
import type { Format } from './format.ts';

type YamlLibrary = typeof Yaml;
type Collection = Yaml.YAMLMap<Yaml.Node, Yaml.Node | null> | Yaml.YAMLSeq<Yaml.Node>;

/** Loads the format, with its library. */
export async function loadYamlFormat(): Promise<Format> {
  return createYamlFormat(await import('yaml'));
}

function createYamlFormat(yaml: YamlLibrary): Format {
  return {
    name: 'YAML',
    parse(text) {
      const [, body] = splitBom(text);
      const document = yaml.parseDocument(body);
      const [error] = document.errors;
      if (error) {
        // Its message may quote the text, which may be a secret; its code does not.
        const problem = error.code.toLowerCase().replaceAll('_', ' ');
        return { ok: false, line: error.linePos?.[0].line ?? 1, problem };
      }
      try {
        return { ok: true, value: JSON.parse(JSON.stringify(document.toJS() ?? {})) as JsonValue };
      } catch {
        return {
          ok: false,
          line: findBadAlias(yaml, document, body),
          problem: 'an alias cannot be followed',
        };
      }
    },
    findTrap(text) {
      const [, body] = splitBom(text);
      const line = findAnchor(yaml, body);
      if (line === undefined) return undefined;
      return {
        says: `uses anchors or aliases (& and *, line ${line})`,
        wayOut: 'write out what they stand for',
      };
    },
    set(text, path, value) {
      const [bom, body] = splitBom(text);
      return bom + setIn(yaml, body, path, value);
    },
    remove(text, path) {
      const [bom, body] = splitBom(text);
      return bom + removeFrom(yaml, body, path);
    },
  };
}

/** The line of the first anchor or alias. */
function findAnchor(yaml: YamlLibrary, body: string): number | undefined {
  let offset: number | undefined;
  yaml.visit(yaml.parseDocument(body), {
    Node(_key, node) {
      const start = node.range?.[0] ?? 0;
      const anchor = !yaml.isAlias(node) && 'anchor' in node ? node.anchor : undefined;
      if (!yaml.isAlias(node) && anchor === undefined) return undefined;
      // The mark stands before what it names.
      offset = anchor === undefined ? start : Math.max(0, body.lastIndexOf(`&${anchor}`, start));
      return yaml.visit.BREAK;
    },
  });
  return offset === undefined ? undefined : toLineNumber(body, offset);
}

/** The line of the first alias that leads nowhere. */
function findBadAlias(yaml: YamlLibrary, document: Yaml.Document.Parsed, body: string): number {
  let line = 1;
  yaml.visit(document, {
    Alias(_key, alias) {
      if (alias.resolve(document)) return undefined;
      line = toLineNumber(body, alias.range?.[0] ?? 0);
      return yaml.visit.BREAK;
    },
  });
  return line;
}

/** A node on the way down, with the pair or item that holds it. */
interface Step {
  readonly node: Yaml.Node | null;
  /** Where the key, or the item itself, begins. */
  readonly start: number;
  /** Where the key ends. */
  readonly keyEnd: number;
}

function walk(yaml: YamlLibrary, root: Yaml.Node | null, path: JsonPath): readonly Step[] {
  const steps: Step[] = [{ node: root, start: 0, keyEnd: 0 }];
  for (const part of path) {
    const next = stepInto(yaml, steps.at(-1)?.node ?? null, part);
    if (!next) break;
    steps.push(next);
  }
  return steps;
}

function stepInto(yaml: YamlLibrary, node: Yaml.Node | null, part: string | number): Step | undefined {
  if (yaml.isSeq(node)) {
    const item = typeof part === 'number' ? (node.items[part] as Yaml.Node | undefined) : undefined;
    const start = item?.range?.[0] ?? 0;
    return item && { node: item, start, keyEnd: start };
  }
  if (!yaml.isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => yaml.isScalar(key) && String(key.value) === String(part));
  const range = pair && (pair.key as Yaml.Scalar).range;
  return pair && range
    ? { node: pair.value as Yaml.Node | null, start: range[0], keyEnd: range[1] }
    : undefined;
}

function setIn(yaml: YamlLibrary, body: string, path: JsonPath, value: JsonValue): string {
  const root = yaml.parseDocument(body).contents as Yaml.Node | null;
  const steps = walk(yaml, root, path);
  const rest = path.slice(steps.length - 1);
  const step = steps.at(-1) ?? { node: null, start: 0, keyEnd: 0 };
  const [part, ...below] = rest;
  if (part === undefined) {
    if (yaml.isScalar(step.node) && !(typeof value === 'object'))
      return replaceScalar(body, step.node, value);
    return setIn(yaml, removeFrom(yaml, body, path), path, value);
  }
  const inner = nest(below, value);
  if (root === null) return appendTo(body, toLines(yaml, nest(rest, value), '', toEol(body)));
  if (yaml.isCollection(step.node)) return insert(yaml, body, step, { part, value: inner });
  // The key is there and holds nothing yet.
  const indent = `${indentAt(body, step.start)}  `;
  const range = step.node?.range ?? [step.keyEnd + 1, step.keyEnd + 1];
  const cleared = splice(body, range[0], range[1], '');
  const at = lineEnd(cleared, range[0]);
  return splice(
    cleared.slice(0, at).trimEnd() + cleared.slice(at),
    cleared.slice(0, at).trimEnd().length,
    cleared.slice(0, at).trimEnd().length,
    toEol(body) + toLines(yaml, nest(rest, value), indent, toEol(body)),
  );
}

function replaceScalar(body: string, { range }: Yaml.Scalar, value: JsonValue): string {
  return range ? splice(body, range[0], range[1], JSON.stringify(value)) : body;
}

interface Member {
  readonly part: string | number;
  readonly value: JsonValue;
}

function insert(yaml: YamlLibrary, body: string, step: Step, { part, value }: Member): string {
  const collection = step.node as Collection;
  const range = collection.range ?? [0, 0, 0];
  const isList = yaml.isSeq(collection);
  const member = isList ? [value] : Object.fromEntries([[String(part), value]]);
  if (collection.flow) {
    if (collection.items.length > 0 || step.keyEnd === 0) {
      const text = isList ? JSON.stringify(value) : JSON.stringify(member).slice(1, -1);
      const at = collection.items.length > 0 ? endOf(yaml, collection) : range[1] - 1;
      return splice(body, at, at, collection.items.length > 0 ? `, ${text}` : text);
    }
    const eol = toEol(body);
    const lines = eol + toLines(yaml, member, `${indentAt(body, step.start)}  `, eol);
    const before = body.slice(0, range[0]).trimEnd();
    return before + trailing(body, range[1]) + lines + body.slice(lineEnd(body, range[1]));
  }
  const indent = ' '.repeat(range[0] - lineStart(body, range[0]));
  return appendAfter(body, contentEnd(body, range[1]), toLines(yaml, member, indent, toEol(body)));
}

/** What is left of a line behind a value that moves to the next lines: its comment. */
function trailing(body: string, offset: number): string {
  return body.slice(offset, lineEnd(body, offset)).trimEnd();
}

function endOf(yaml: YamlLibrary, collection: Collection): number {
  const last = collection.items.at(-1);
  const node = yaml.isPair(last) ? (last.value ?? last.key) : last;
  return (node as Yaml.Node | undefined)?.range?.[1] ?? 0;
}

/** Where the last line that says anything ends, its comment included. */
function contentEnd(body: string, offset: number): number {
  return lineEnd(body, body.slice(0, offset).trimEnd().length);
}

function appendAfter(body: string, offset: number, lines: string): string {
  return splice(body, offset, offset, toEol(body) + lines);
}

function appendTo(body: string, lines: string): string {
  const eol = toEol(body);
  const open = body !== '' && !body.endsWith('\n');
  return `${body}${open ? eol : ''}${lines}${open ? '' : eol}`;
}

function toLines(yaml: YamlLibrary, value: JsonValue, indent: string, eol: string): string {
  const lines = yaml.stringify(value, { lineWidth: 0 }).trimEnd().split('\n');
  return lines.map((line) => (line === '' ? '' : indent + line)).join(eol);
}

function removeFrom(yaml: YamlLibrary, body: string, path: JsonPath): string {
  const steps = walk(yaml, yaml.parseDocument(body).contents as Yaml.Node | null, path);
  const step = steps.at(-1);
  const parent = steps.at(-2);
  if (!step || !parent || steps.length !== path.length + 1) return body;
  const collection = parent.node as Collection;
  const end = step.node?.range?.[1] ?? step.keyEnd + 1;
  if (collection.flow) return removeFromFlow(body, step.start, Math.max(end, step.keyEnd));
  const from = lineStart(body, step.start);
  const to = nextLine(body, contentEnd(body, Math.max(end, step.keyEnd)));
  if (collection.items.length > 1 || parent.keyEnd === 0) return withoutLines(body, from, to);
  const empty = yaml.isSeq(collection) ? ' []' : ' {}';
  return splice(withoutLines(body, from, to), parent.keyEnd + 1, parent.keyEnd + 1, empty);
}

/** A text that ended without a line ending goes on doing so. */
function withoutLines(body: string, from: number, to: number): string {
  const left = splice(body, from, to, '');
  return to === body.length && !body.endsWith('\n') ? left.replace(/\r?\n$/, '') : left;
}

function removeFromFlow(body: string, start: number, end: number): string {
  const behind = /^\s*,\s*/.exec(body.slice(end));
  if (behind) return splice(body, start, end + behind[0].length, '');
  const before = /\s*,\s*$/.exec(body.slice(0, start));
  return splice(body, start - (before?.[0].length ?? 0), end, '');
}

/** JSON, with comments or without: members are put in and taken out, everything else keeps its bytes. */
import { createScanner, findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import { parseJsonc } from '../../config/jsonc.ts';
import type { JsonValue } from '../../model/json.ts';
import {
  type DocumentPath,
  type Focus,
  type Format,
  indentAt,
  lineEnd,
  lineStart,
  nest,
  nextLine,
  splice,
  splitBom,
  toEol,
  toLineNumber,
} from './format.ts';

/** The format of most clients. */
export const jsoncFormat: Format = {
  name: 'JSON',
  parse(text) {
    const [, body] = splitBom(text);
    if (body.trim() === '') return { ok: true, value: {} };
    const plain = parsePlain(body);
    if (plain !== undefined) return { ok: true, value: plain };
    const document = parseJsonc(body);
    if ('value' in document) return { ok: true, value: document.value };
    const [first] = document;
    return { ok: false, line: toLineNumber(body, first?.offset ?? 0), problem: first?.problem ?? 'not JSON' };
  },
  set(text, path, value) {
    const [bom, body] = splitBom(text);
    if (body.trim() === '') return `${bom}${render(nest(path, value), '', style(body))}${toEol(body)}`;
    return bom + setIn(body, path, value);
  },
  remove(text, path) {
    const [bom, body] = splitBom(text);
    return bom + removeFrom(body, path);
  },
  findTrap(text) {
    const [, body] = splitBom(text);
    const twice = findTwice(toRoot(body));
    if (!twice) return undefined;
    const key = JSON.stringify(String(twice.value).slice(0, 60));
    return {
      says: `has ${key} twice in one place (line ${toLineNumber(body, twice.offset)})`,
      wayOut: 'take out the one that is not wanted',
    };
  },
  focus(text, path) {
    const [bom, body] = splitBom(text);
    const found = findNodeAtLocation(toRoot(body), [...path]);
    const node = found?.parent?.type === 'property' ? found.parent : found;
    // Only the path of a member at the top keeps its meaning in a document of its own.
    return node && path.length === 1 ? toFocus(bom, body, node) : undefined;
  },
};

/** The first key that its object has already; the readers of such files do not agree on which counts. */
function findTwice(node: Node): Node | undefined {
  const seen = new Set<unknown>();
  for (const child of node.children ?? []) {
    const key = node.type === 'object' ? child.children?.[0] : undefined;
    if (key && seen.has(key.value)) return key;
    if (key) seen.add(key.value);
    const inner = findTwice(child);
    if (inner) return inner;
  }
  return undefined;
}

function toFocus(bom: string, body: string, { offset, length }: Node): Focus {
  const alone = indentAt(body, offset).length === offset - lineStart(body, offset);
  const start = alone ? lineStart(body, offset) : offset;
  const gap = alone ? toEol(body) : '';
  return {
    text: `{${gap}${body.slice(start, offset + length)}${gap}}`,
    widen: (changed) =>
      bom +
      splice(body, start, offset + length, changed.slice(1 + gap.length, changed.length - 1 - gap.length)),
  };
}

/** JSON without comments, which is read many times faster. */
function parsePlain(body: string): JsonValue | undefined {
  try {
    return JSON.parse(body) as JsonValue;
  } catch {
    return undefined;
  }
}

/** How a document is laid out. */
interface Style {
  /** One level of indentation; empty when all stands on one line. */
  readonly unit: string;
  readonly eol: string;
}

function style(body: string): Style {
  const eol = toEol(body);
  const inner = body.trim();
  if (inner === '') return { unit: '  ', eol };
  if (!inner.includes('\n') && inner !== '{}') return { unit: '', eol };
  const first = /\n([ \t]+)"/.exec(body)?.[1] ?? '  ';
  return { unit: first, eol };
}

function render(value: JsonValue, indent: string, { unit, eol }: Style): string {
  if (unit === '') return JSON.stringify(value);
  return JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
}

function setIn(body: string, path: DocumentPath, value: JsonValue): string {
  const root = toRoot(body);
  const looks = style(body);
  for (let depth = path.length; depth >= 0; depth--) {
    const node = depth === 0 ? root : findNodeAtLocation(root, [...path.slice(0, depth)]);
    if (!node) continue;
    const [part, ...rest] = path.slice(depth);
    const holds = node.type === 'object' || node.type === 'array';
    if (part !== undefined && holds) return insert(body, node, { part, value: nest(rest, value) }, looks);
    const put = render(nest(path.slice(depth), value), indentAt(body, node.offset), looks);
    return splice(body, node.offset, node.offset + node.length, put);
  }
  return body;
}

interface Member {
  readonly part: string | number;
  readonly value: JsonValue;
}

function insert(body: string, parent: Node, { part, value }: Member, looks: Style): string {
  const end = parent.offset + parent.length;
  const head = typeof part === 'number' ? '' : `${JSON.stringify(part)}:${looks.unit === '' ? '' : ' '}`;
  const outer = indentAt(body, parent.offset);
  const [first] = parent.children ?? [];
  const last = parent.children?.at(-1);
  if (!first || !last) {
    const indent = outer + looks.unit;
    const member = `${head}${render(value, indent, looks)}`;
    return intoEmpty(body, parent, { member, indent, outer, end }, looks);
  }
  const broken = body.slice(parent.offset, first.offset).includes('\n');
  if (!broken) {
    const member = `${head}${JSON.stringify(value)}`;
    return splice(
      body,
      last.offset + last.length,
      last.offset + last.length,
      `,${looks.unit && ' '}${member}`,
    );
  }
  const indent = indentAt(body, first.offset);
  return afterLast(body, last, `${looks.eol}${indent}${head}${render(value, indent, looks)}`);
}

interface EmptyPlace {
  readonly member: string;
  readonly indent: string;
  readonly outer: string;
  readonly end: number;
}

function intoEmpty(body: string, parent: Node, place: EmptyPlace, { unit, eol }: Style): string {
  const { member, indent, outer, end } = place;
  const inside = body.slice(parent.offset + 1, end - 1);
  if (unit === '') return splice(body, end - 1, end - 1, member);
  if (inside.trim() === '')
    return splice(body, parent.offset + 1, end - 1, `${eol}${indent}${member}${eol}${outer}`);
  const alone = body.slice(lineStart(body, end - 1), end - 1).trim() === '';
  if (alone) return splice(body, lineStart(body, end - 1), end - 1, `${indent}${member}${eol}${outer}`);
  return splice(body, end - 1, end - 1, `${eol}${indent}${member}${eol}${outer}`);
}

/** Behind the last member and the comment on its line, which is about that one. */
function afterLast(body: string, last: Node, put: string): string {
  const end = last.offset + last.length;
  const stop = lineEnd(body, end);
  const rest = body.slice(end, stop);
  if (/^[ \t]*(\/\/.*|\/\*(?:(?!\*\/).)*\*\/[ \t]*)?$/.test(rest))
    return `${body.slice(0, end)},${rest}${put}${body.slice(stop)}`;
  if (/^[ \t]*,[ \t]*(\/\/.*)?$/.test(rest)) return splice(body, stop, stop, `${put},`);
  return splice(body, end, end, `,${put}`);
}

function removeFrom(body: string, path: DocumentPath): string {
  const root = toRoot(body);
  const found = findNodeAtLocation(root, [...path]);
  if (!found) return body;
  const node = found.parent?.type === 'property' ? found.parent : found;
  const siblings = node.parent?.children ?? [];
  const before = siblings[siblings.indexOf(node) - 1];
  const end = node.offset + node.length;
  const comma = findComma(body, end);
  if (comma !== undefined) {
    const [from, to] = toWholeLines(body, node.offset, comma + 1);
    const kept = body.slice(end, comma);
    return tidy(splice(body, from, to, kept.trim() === '' ? '' : kept), node, from);
  }
  if (!before) return tidy(splice(body, node.offset, end, ''), node, node.offset);
  const earlier = findComma(body, before.offset + before.length) ?? node.offset;
  const between = body.slice(earlier + 1, node.offset);
  if (between.trim() === '') return splice(body, earlier, toCommentEnd(body, end), '');
  // A comment stands before it and stays, with the line ending that may end it.
  const [from, to] = toWholeLines(body, node.offset, end);
  return splice(splice(body, from, to, ''), earlier, earlier + 1, '');
}

/** Braces with nothing but white space between them are closed up. */
function tidy(body: string, { parent }: Node, near: number): string {
  if (!parent) return body;
  const open = parent.offset;
  const close = /^\s*[}\]]/.exec(body.slice(open + 1));
  return close && near > open ? splice(body, open + 1, open + close[0].length, '') : body;
}

/** Takes the indentation, the comment behind and the line ending along when nothing else is on the lines. */
function toWholeLines(body: string, start: number, end: number): readonly [number, number] {
  const from = lineStart(body, start);
  const alone = body.slice(from, start).trim() === '';
  const rest = body.slice(end, lineEnd(body, end));
  if (alone && /^[ \t]*(\/\/.*)?$/.test(rest)) return [from, nextLine(body, end)];
  return [start, end + (/^[ \t]*/.exec(rest)?.[0].length ?? 0)];
}

function toCommentEnd(body: string, end: number): number {
  return /^[ \t]*\/\/.*$/.test(body.slice(end, lineEnd(body, end))) ? lineEnd(body, end) : end;
}

// `SyntaxKind` is a const enum, which single-file compilers cannot read.
const COMMA = 5;

/** The comma that follows an offset, with nothing but white space and comments before it. */
function findComma(body: string, offset: number): number | undefined {
  const scanner = createScanner(body, true);
  scanner.setPosition(offset);
  return scanner.scan() === COMMA ? scanner.getTokenOffset() : undefined;
}

function toRoot(body: string): Node {
  const nothing: Node = { type: 'null', offset: 0, length: 0 };
  try {
    return parseTree(body, [], { allowTrailingComma: true }) ?? nothing;
  } catch (error) {
    // Nested deeper than the stack; the check of what came out refuses it.
    if (error instanceof RangeError) return nothing;
    throw error;
  }
}

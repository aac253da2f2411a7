/** JSON, with comments or without, edited as a text: members are put in and taken out, everything else keeps its bytes. */
import { createScanner, findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import { type JsonPath, nest } from '../jsonc.ts';
import { indentAt, lineEnd, lineStart, nextLine, splice, splitBom, toEol } from './text.ts';

/** Puts a value at a path; what is missing on the way is made, an index past the end appends. */
export function setInJsonc(text: string, path: JsonPath, value: JsonValue): string {
  const [bom, body] = splitBom(text);
  const looks = toLooks(body);
  if (body.trim() === '') return `${bom}${render(nest(path, value), '', looks)}${looks.eol}`;
  return bom + setIn(body, path, value, looks);
}

/** Takes out what is at a path, with the comment behind it; a text without it stays as it is. */
export function removeFromJsonc(text: string, path: JsonPath): string {
  const [bom, body] = splitBom(text);
  return bom + removeFrom(body, path);
}

/** The tree of a text without its byte order mark; what cannot be read is a tree of nothing. */
export function toJsoncTree(body: string): Node {
  const nothing: Node = { type: 'null', offset: 0, length: 0 };
  try {
    return parseTree(body, [], { allowTrailingComma: true }) ?? nothing;
  } catch (error) {
    // Nested deeper than the stack; the check of what came out refuses it.
    if (error instanceof RangeError) return nothing;
    throw error;
  }
}

/** How a document is laid out. */
interface Looks {
  /** One level of indentation; empty when all stands on one line. */
  readonly unit: string;
  /** What stands between a key and its value. */
  readonly gap: string;
  readonly eol: string;
}

function toLooks(body: string): Looks {
  const eol = toEol(body);
  const inner = body.trim();
  const isLine = !inner.includes('\n') && inner !== '{}' && inner !== '';
  if (isLine) return { unit: '', gap: /"[ \t]*:[ \t]/.test(inner) ? ' ' : '', eol };
  return { unit: /\n([ \t]+)"/.exec(body)?.[1] ?? '  ', gap: ' ', eol };
}

/** As long as a value may become that stays on its line. */
const WIDTH = 100;

function render(value: JsonValue, indent: string, looks: Looks): string {
  const { unit, eol } = looks;
  if (unit === '') return toLine(value, looks);
  return JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
}

function toLine(value: JsonValue, looks: Looks): string {
  const { gap } = looks;
  if (Array.isArray(value)) return `[${value.map((item) => toLine(item, looks)).join(`,${gap}`)}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).flatMap(([key, member]) =>
    member === undefined ? [] : [`${JSON.stringify(key)}:${gap}${toLine(member, looks)}`],
  );
  return members.length === 0 ? '{}' : `{${gap}${members.join(`,${gap}`)}${gap}}`;
}

function setIn(body: string, path: JsonPath, value: JsonValue, looks: Looks): string {
  const root = toJsoncTree(body);
  for (let depth = path.length; depth >= 0; depth--) {
    const node = depth === 0 ? root : findNodeAtLocation(root, [...path.slice(0, depth)]);
    if (!node) continue;
    const [part, ...rest] = path.slice(depth);
    const isList = node.type === 'array' && typeof part === 'number';
    if (part !== undefined && (isList || node.type === 'object'))
      return insert(body, node, { part, value: nest(rest, value) }, looks);
    return replace(body, node, nest(path.slice(depth), value), looks);
  }
  return body;
}

/** What stands on one line stays on one as long as it is not too long for it. */
function replace(body: string, node: Node, value: JsonValue, looks: Looks): string {
  const end = endOf(node);
  const isLine = (node.children?.length ?? 0) > 0 && !body.slice(node.offset, end).includes('\n');
  const line = isLine ? toLine(value, looks) : undefined;
  const indent = indentAt(body, node.offset);
  const fits = line !== undefined && line.length <= WIDTH;
  return splice(body, node.offset, end, fits ? line : render(value, indent, looks));
}

interface Member {
  readonly part: string | number;
  readonly value: JsonValue;
}

function insert(body: string, parent: Node, { part, value }: Member, looks: Looks): string {
  const head = parent.type === 'array' ? '' : `${JSON.stringify(String(part))}:${looks.gap}`;
  const inner = indentAt(body, parent.offset) + looks.unit;
  const [first] = parent.children ?? [];
  const last = parent.children?.at(-1);
  if (!first || !last) return intoEmpty(body, parent, `${head}${render(value, inner, looks)}`, looks);
  const around = body.slice(parent.offset, first.offset) + body.slice(endOf(last), endOf(parent));
  if (!/[\r\n]/.test(around)) return afterLast(body, last, `${looks.gap}${head}${toLine(value, looks)}`);
  const isFirstOnLine = body.slice(lineStart(body, last.offset), last.offset).trim() === '';
  const indent = isFirstOnLine ? indentAt(body, last.offset) : inner;
  return afterLast(body, last, `${looks.eol}${indent}${head}${render(value, indent, looks)}`);
}

function intoEmpty(body: string, parent: Node, member: string, { unit, eol }: Looks): string {
  const [start, end] = [parent.offset + 1, endOf(parent) - 1];
  const outer = indentAt(body, parent.offset);
  const line = `${outer}${unit}${member}`;
  const isBlank = body.slice(start, end).trim() === '';
  if (unit === '') return splice(body, end, end, member);
  const from = lineStart(body, end);
  if (from > start && body.slice(from, end).trim() === '') return splice(body, from, from, `${line}${eol}`);
  return splice(body, isBlank ? start : end, end, `${eol}${line}${eol}${outer}`);
}

/** Comments that begin on the line of what they are about. */
const ABOUT = /^(?:[ \t]*\/\*[\s\S]*?\*\/)*(?:[ \t]*\/\/[^\r\n]*|[ \t]*(?=[\r\n]))?/;

/** Behind the last member, its comma, and the comments that are about it. */
function afterLast(body: string, last: Node, put: string): string {
  const end = endOf(last);
  const comma = findComma(body, end);
  const from = comma === undefined ? end : comma + 1;
  const place = from + (ABOUT.exec(body.slice(from))?.[0].length ?? 0);
  if (comma !== undefined) return splice(body, place, place, `${put},`);
  return `${body.slice(0, end)},${body.slice(end, place)}${put}${body.slice(place)}`;
}

function removeFrom(body: string, path: JsonPath): string {
  const found = findNodeAtLocation(toJsoncTree(body), [...path]);
  if (!found) return body;
  const node = found.parent?.type === 'property' ? found.parent : found;
  const siblings = node.parent?.children ?? [];
  const before = siblings[siblings.indexOf(node) - 1];
  const end = endOf(node);
  const comma = findComma(body, end);
  if (comma !== undefined) return closeUp(removeWithComma(body, node, comma), node.parent);
  if (!before) return closeUp(splice(body, node.offset, end, ''), node.parent);
  const earlier = findComma(body, endOf(before)) ?? node.offset;
  const between = body.slice(earlier + 1, node.offset);
  if (between.trim() === '') return splice(body, earlier, toCommentEnd(body, end), '');
  // A comment stands before it and stays, with the line ending that may end it.
  const [from, to] = toWholeLines(body, node.offset, end);
  return splice(splice(body, from, to, ''), earlier, earlier + 1, '');
}

function removeWithComma(body: string, node: Node, comma: number): string {
  const end = endOf(node);
  const isNext = body.slice(end, comma).trim() === '';
  // A comment before the comma stays, on the line where it is.
  if (!isNext) return splice(splice(body, comma, comma + 1, ''), node.offset, end, '');
  const [from, to] = toWholeLines(body, node.offset, comma + 1);
  return splice(body, from, to, '');
}

/** Braces with nothing but white space between them are closed up. */
function closeUp(body: string, parent: Node | undefined): string {
  if (!parent) return body;
  const start = parent.offset + 1;
  const close = /^\s*[}\]]/.exec(body.slice(start));
  return close ? splice(body, start, start + close[0].length - 1, '') : body;
}

/** Takes the indentation, the comment behind and the line ending along when nothing else is on the lines. */
function toWholeLines(body: string, start: number, end: number): readonly [number, number] {
  const from = lineStart(body, start);
  const isAlone = body.slice(from, start).trim() === '';
  const rest = body.slice(end, lineEnd(body, end));
  if (isAlone && /^[ \t]*(\/\/.*)?$/.test(rest)) return [from, nextLine(body, end)];
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

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** JSON with comments, as a value and as a tree that knows where everything stands. */
import {
  createScanner,
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type { JsonValue } from '../model/json.ts';

/** Members and indices from the top of the document down. */
export type JsonPath = readonly (string | number)[];

/** A value under the members and indices that lead to it. */
export function nest(path: JsonPath, value: JsonValue): JsonValue {
  return path.reduceRight<JsonValue>(
    (inner, part) => (typeof part === 'number' ? [inner] : Object.fromEntries([[part, inner]])),
    value,
  );
}

/** Something wrong at an offset of the text. */
export interface SyntaxFault {
  readonly offset: number;
  readonly problem: string;
}

/** A document that could be read. */
export interface JsoncDocument {
  readonly value: JsonValue;
  /** Where a path stands, or the nearest thing around it that exists. */
  offsetOf(path: JsonPath): number;
}

const MAX_DEPTH = 100;

/** Reads a document; gives every fault of its syntax when there are any. A byte order mark before it means nothing. */
export function parseJsonc(given: string): JsoncDocument | readonly SyntaxFault[] {
  // A blank in its place keeps every offset right.
  const text = given.replace(/^\uFEFF/, ' ');
  if (text.trim() === '') return [{ offset: 0, problem: 'the file is empty; the least it can hold is {}' }];
  const tooDeep = findTooDeep(text);
  if (tooDeep !== undefined) return [{ offset: tooDeep, problem: `nested deeper than ${MAX_DEPTH} levels` }];
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const faults = toSyntaxFaults(errors);
  if (root && faults.length === 0) faults.push(...findDuplicates(root));
  if (faults.length > 0) return faults;
  if (!root) return [{ offset: 0, problem: 'value expected' }];
  const nodeAt = (path: JsonPath) => findNodeAtLocation(root, [...path]);
  return {
    value: toValue(root),
    offsetOf(path) {
      for (let length = path.length; length > 0; length--) {
        const node = nodeAt(path.slice(0, length));
        if (node) return (node.parent?.type === 'property' ? node.parent : node).offset;
      }
      return root.offset;
    },
  };
}

/** One fault a place: what the parser says after the first follows from it. */
function toSyntaxFaults(errors: readonly ParseError[]): SyntaxFault[] {
  const firsts = errors.filter(
    ({ offset }, index) => errors.findIndex((other) => other.offset === offset) === index,
  );
  return firsts.map(({ error, offset }) => ({ offset, problem: toWords(printParseErrorCode(error)) }));
}

/** The parser calls itself for each level and would run out of stack, so the depth is counted first. */
function findTooDeep(text: string): number | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (let token = scanner.scan(); token !== EOF; token = scanner.scan()) {
    if (OPENING.has(token)) depth++;
    if (CLOSING.has(token)) depth--;
    if (depth > MAX_DEPTH) return scanner.getTokenOffset();
  }
  return undefined;
}

// `SyntaxKind` is a const enum, which single-file compilers cannot read.
const EOF = 17;
const OPENING: ReadonlySet<number> = new Set([1, 3]);
const CLOSING: ReadonlySet<number> = new Set([2, 4]);

function toValue(node: Node): JsonValue {
  const children = node.children ?? [];
  if (node.type === 'array') return children.map(toValue);
  if (node.type !== 'object') return node.value as JsonValue;
  // Not by assignment, which would make `__proto__` the prototype instead of a member.
  return Object.fromEntries(
    children.flatMap((property) => {
      const [key, value] = property.children ?? [];
      return key && value ? [[String(key.value), toValue(value)]] : [];
    }),
  );
}

function findDuplicates(node: Node): SyntaxFault[] {
  const children = node.children ?? [];
  const faults = children.flatMap(findDuplicates);
  if (node.type !== 'object') return faults;
  const seen = new Set<unknown>();
  for (const property of children) {
    const key = property.children?.[0]?.value;
    if (seen.has(key))
      faults.push({ offset: property.offset, problem: `${JSON.stringify(key)} is given twice` });
    seen.add(key);
  }
  return faults;
}

function toWords(name: string): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

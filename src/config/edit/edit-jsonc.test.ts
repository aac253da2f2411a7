import fc from 'fast-check';
import { createScanner, findNodeAtLocation, type Node } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../model/json.ts';
import { type JsonPath, parseJsonc } from '../jsonc.ts';
import { anyJsonc } from './any-jsonc.contract.ts';
import { removeFromJsonc, setInJsonc, toJsoncTree } from './edit-jsonc.ts';
import { splitBom } from './text.ts';

describe('an edit of JSON with comments', () => {
  it.each([
    ['{}', '{\n  "mcpServers": {\n    "thimble": 1\n  }\n}'],
    ['{"a":1}', '{"a":1,"mcpServers":{"thimble":1}}'],
    ['{ "a": 1 }\n', '{ "a": 1, "mcpServers": { "thimble": 1 } }\n'],
    ['{\n  "mcpServers": {}\n}', '{\n  "mcpServers": {\n    "thimble": 1\n  }\n}'],
    ['{\n  "mcpServers": null\n}', '{\n  "mcpServers": {\n    "thimble": 1\n  }\n}'],
    [
      '{\n\t"mcpServers": {\n\t\t// none yet\n\t}\n}',
      '{\n\t"mcpServers": {\n\t\t// none yet\n\t\t"thimble": 1\n\t}\n}',
    ],
    ['{\n  "a": 1 // one\n}', '{\n  "a": 1, // one\n  "mcpServers": {\n    "thimble": 1\n  }\n}'],
    ['{\n  "a": 1, // one\n}', '{\n  "a": 1, // one\n  "mcpServers": {\n    "thimble": 1\n  },\n}'],
    ['{\n  "a": 1 /* x */ , \n}', '{\n  "a": 1 /* x */ , \n  "mcpServers": {\n    "thimble": 1\n  },\n}'],
    ['', '{\n  "mcpServers": {\n    "thimble": 1\n  }\n}\n'],
  ])('puts a member into %j as people write it', (before, after) => {
    expect(setInJsonc(before, ['mcpServers', 'thimble'], 1)).toBe(after);
  });

  it.each([
    ['{"a":1,"x":2}', '{"a":1}'],
    ['{"x":2,"a":1}', '{"a":1}'],
    ['{"x":2}', '{}'],
    ['{\n  "x": 2\n}', '{}'],
    ['{\n  "a": 1,\n  "x": {\n    "y": 2\n  }\n}', '{\n  "a": 1\n}'],
    ['{\n  "x": 2, // about x\n  "a": 1\n}', '{\n  "a": 1\n}'],
    ['{\n  "a": 1, // about a\n  "x": 2\n}', '{\n  "a": 1 // about a\n}'],
    ['{\n  "a": 1,\n  /* kept */\n  "x": 2,\n}', '{\n  "a": 1,\n  /* kept */\n}'],
    ['{ "x": 2, "a": 1 }', '{ "a": 1 }'],
    ['{"a": 1, // why\n"x": 2}', '{"a": 1 // why\n}'],
    ['{\n  "a": 1,\n  // kept\n  "x": 2\n}', '{\n  "a": 1\n  // kept\n}'],
  ])('takes a member out of %j and leaves the rest', (before, after) => {
    expect(removeFromJsonc(before, ['x'])).toBe(after);
  });

  it.each([
    ['{\n  "tags": ["a", "b"] // mine\n}', ['tags'], ['c'], '{\n  "tags": ["c"] // mine\n}'],
    ['{\n  "a": {"b": 1}\n}', ['a', 'c'], 2, '{\n  "a": {"b": 1, "c": 2}\n}'],
    ['{\n  "a": { "b": 1 } // why\n}', ['a', 'b'], 2, '{\n  "a": { "b": 2 } // why\n}'],
    ['{ "a": 1 // one\n}', ['b'], 2, '{ "a": 1, // one\n  "b": 2\n}'],
    ['{\n  "a": { "b": 1 /* one */ }\n}', ['a', 'c'], 2, '{\n  "a": { "b": 1, /* one */ "c": 2 }\n}'],
    ['{\n  "a": {\n  }\n}', ['a', 'b'], 2, '{\n  "a": {\n    "b": 2\n  }\n}'],
    ['{"a":[1]}', ['a', 5], { b: [] }, '{"a":[1,{"b":[]}]}'],
    ['{\r\n\t"a": {}\r\n}', ['a', 'b'], 2, '{\r\n\t"a": {\r\n\t\t"b": 2\r\n\t}\r\n}'],
    ['\uFEFF{\r  "a": 1 // one\r}', ['b'], 2, '\uFEFF{\r  "a": 1, // one\n"b": 2\r}'],
    ['{\n  "a": [1]\n}', ['a', 'b'], 2, '{\n  "a": { "b": 2 }\n}'],
  ] as const)('sets in %j at %j only what it has to', (before, path, value, after) => {
    expect(setInJsonc(before, path, value)).toBe(after);
  });

  it('puts a long value over several lines wherever one stood before', () => {
    const words = Array.from({ length: 20 }, (_, at) => `word ${at}`);
    const after = setInJsonc('{\n  "a": ["x"]\n}', ['a'], words);
    expect(after).toBe(JSON.stringify({ a: words }, null, 2));
  });
});

/** One member of a text, or one more for a place in it, and what to do with it. */
interface Case {
  readonly text: string;
  readonly path: JsonPath;
  readonly value: JsonValue | undefined;
}

const edit = ({ text, path, value }: Case) =>
  value === undefined ? removeFromJsonc(text, path) : setInJsonc(text, path, value);

describe('an edit of any member of any text', () => {
  const replaced = anyCase(toPaths, anyValue());
  const removed = anyCase(toPaths, fc.constant(undefined));
  const added = anyCase(toNewPaths, anyValue());

  it.each([
    ['replaces', replaced],
    ['removes', removed],
    ['adds', added],
  ])('%s exactly that in what the text means', (_what, cases) => {
    check(cases, (one) => {
      expect(read(edit(one))).toEqual(apply(read(one.text), one.path, one.value));
    });
  });

  it('changes no byte outside of a value that it replaces', () => {
    check(replaced, (one) => {
      const { before, after } = around(one.text, nodeAt(one.text, one.path));
      const edited = edit(one);
      expect([edited.slice(0, before.length), edited.slice(edited.length - after.length)]).toEqual([
        before,
        after,
      ]);
    });
  });

  it('only adds to the text where it adds a member, within the object or the list it is put into', () => {
    check(added, (one) => {
      const parent = nodeAt(one.text, one.path.slice(0, -1));
      expectOnlyInside(one, parent);
      if (parent.children?.length) expect(isPart(one.text, edit(one))).toBe(true);
      expect(toComments(edit(one))).toEqual(toComments(one.text));
    });
  });

  it('takes only the member, a comma, white space and the comment behind it along where it removes one', () => {
    check(removed, (one) => {
      const edited = edit(one);
      const { parent, offset, length } = memberAt(one.text, one.path);
      if (!parent) throw new Error('the document itself is not removed');
      expectOnlyInside(one, parent);
      expect(isPart(edited, one.text)).toBe(true);
      const [bom] = splitBom(one.text);
      const end = bom.length + offset + length;
      const own = toComments(one.text.slice(0, end)).length;
      const inside = toComments(one.text.slice(bom.length + offset, end)).length;
      const outside = toComments(one.text).toSpliced(own - inside, inside);
      const behind = /^(?:\s*,)?[ \t]*\/\//.test(one.text.slice(end)) ? [own - inside] : [];
      const possible = [outside, ...behind.map((at) => outside.toSpliced(at, 1))];
      expect(possible).toContainEqual(toComments(edited));
    });
  });
});

function check(cases: fc.Arbitrary<Case | undefined>, judge: (one: Case) => void): void {
  fc.assert(
    fc.property(cases, (one) => {
      fc.pre(one !== undefined);
      judge(one);
    }),
    { numRuns: 500 },
  );
}

function anyValue(): fc.Arbitrary<JsonValue> {
  return fc.constantFrom<JsonValue>('x', 1, null, [], {}, ['a', 'b'], { command: 'x', args: ['a "b"', 'é'] });
}

function anyCase(
  find: (tree: Node, path: JsonPath) => readonly JsonPath[],
  value: fc.Arbitrary<JsonValue | undefined>,
): fc.Arbitrary<Case | undefined> {
  return fc.tuple(anyJsonc(), fc.nat(), value).map(([text, pick, put]) => {
    const paths = find(toTree(text), []);
    const path = paths[pick % paths.length];
    return path && { text, path, value: put };
  });
}

/** The paths of all members and items. */
function toPaths(node: Node, path: JsonPath): readonly JsonPath[] {
  return (node.children ?? []).flatMap((child, index) => {
    const [key, value] = node.type === 'object' ? (child.children ?? []) : [];
    const inner = [...path, key ? String(key.value) : index];
    return [inner, ...toPaths(value ?? child, inner)];
  });
}

/** A path to something new in every object and list. */
function toNewPaths(tree: Node): readonly JsonPath[] {
  return [[], ...toPaths(tree, [])].flatMap((path) => {
    const { type, children = [] } = path.length === 0 ? tree : (findNodeAtLocation(tree, [...path]) ?? tree);
    if (type === 'array') return [[...path, children.length]];
    return type === 'object' ? [[...path, 'new']] : [];
  });
}

function toTree(text: string): Node {
  return toJsoncTree(splitBom(text)[1]);
}

function nodeAt(text: string, path: JsonPath): Node {
  const node = path.length === 0 ? toTree(text) : findNodeAtLocation(toTree(text), [...path]);
  if (!node) throw new Error(`nothing is at ${path.join('.')}`);
  return node;
}

/** The member with its key, or the item. */
function memberAt(text: string, path: JsonPath): Node {
  const node = nodeAt(text, path);
  return node.parent?.type === 'property' ? node.parent : node;
}

function around(text: string, { offset, length }: Node): { readonly before: string; readonly after: string } {
  const [bom] = splitBom(text);
  const start = bom.length + offset;
  return { before: text.slice(0, start), after: text.slice(start + length) };
}

function expectOnlyInside(one: Case, parent: Node): void {
  const { before, after } = around(one.text, parent);
  const edited = edit(one);
  expect(edited.startsWith(before) && edited.endsWith(after)).toBe(true);
}

/** True when the one can be made of the other by leaving characters out. */
function isPart(short: string, long: string): boolean {
  let at = 0;
  for (const character of long) if (short.startsWith(character, at)) at += character.length;
  return at === short.length;
}

function toComments(text: string): readonly string[] {
  const scanner = createScanner(text);
  const comments: string[] = [];
  for (let token: number = scanner.scan(); token !== 17; token = scanner.scan())
    if (token === 12 || token === 13)
      comments.push(text.slice(scanner.getTokenOffset()).slice(0, scanner.getTokenLength()));
  return comments;
}

function read(text: string): JsonValue {
  const document = parseJsonc(text);
  if (!('value' in document)) throw new Error(`it cannot be read: ${JSON.stringify(text)}`);
  return document.value;
}

/** The edit as it is meant, without any text. */
function apply(document: JsonValue, path: JsonPath, value: JsonValue | undefined): JsonValue {
  const [part, ...rest] = path;
  if (part === undefined) return value ?? null;
  if (Array.isArray(document)) {
    const at = Number(part);
    const put = rest.length > 0 ? apply(document[at], rest, value) : value;
    return document.toSpliced(at, 1, ...(put === undefined ? [] : [put]));
  }
  const members = Object.entries(document as Record<string, JsonValue>);
  const found = members.findIndex(([key]) => key === part);
  const put = rest.length > 0 ? apply(members[found]?.[1] ?? null, rest, value) : value;
  const next: [string, JsonValue][] = put === undefined ? [] : [[String(part), put]];
  return Object.fromEntries(members.toSpliced(found < 0 ? members.length : found, 1, ...next));
}

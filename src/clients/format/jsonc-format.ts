/** JSON, with comments or without, as most clients write it. */
import { findNodeAtLocation, type Node } from 'jsonc-parser';
import { removeFromJsonc, setInJsonc, toJsoncTree } from '../../config/edit/edit-jsonc.ts';
import { indentAt, lineStart, splice, splitBom, toEol, toLineNumber } from '../../config/edit/text.ts';
import { parseJsonc } from '../../config/jsonc.ts';
import type { JsonValue } from '../../model/json.ts';
import type { Focus, Format } from './format.ts';

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
  set: setInJsonc,
  remove: removeFromJsonc,
  findTrap(text) {
    const [, body] = splitBom(text);
    const twice = findTwice(toJsoncTree(body));
    if (!twice) return undefined;
    const key = JSON.stringify(String(twice.value).slice(0, 60));
    return {
      says: `has ${key} twice in one place (line ${toLineNumber(body, twice.offset)})`,
      wayOut: 'take out the one that is not wanted',
    };
  },
  focus(text, path) {
    const [bom, body] = splitBom(text);
    const found = findNodeAtLocation(toJsoncTree(body), [...path]);
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

/** The text of a configuration file as it may be shown: laid out as it is, with whatever is secret in it left out. */
import { createScanner, type Node, parseTree } from 'jsonc-parser';
import { type JsonObject, valueAt } from '../../model/json.ts';
import { HIDDEN, scrub } from '../secrets/secret-values.ts';

interface Patch {
  readonly offset: number;
  readonly length: number;
  readonly put: string;
}

/** Puts what a document without its secrets says in the place of each text that differs; comments are looked through. */
export function hideText(text: string, hidden: JsonObject): string {
  const root = parseTree(text.replace(/^\uFEFF/, ' '), [], { allowTrailingComma: true });
  const patches = [...(root ? hideNode(root, [], hidden) : []), ...hideComments(text)];
  return patches
    .sort((a, b) => b.offset - a.offset)
    .reduce(
      (rest, { offset, length, put }) => rest.slice(0, offset) + put + rest.slice(offset + length),
      text,
    );
}

function hideNode(node: Node, path: readonly (string | number)[], hidden: JsonObject): readonly Patch[] {
  const { type, offset, length, value, children = [] } = node;
  if (type === 'array') return children.flatMap((child, index) => hideNode(child, [...path, index], hidden));
  if (type === 'object')
    return children.flatMap(({ children: [key, member] = [] }) =>
      key && member ? hideNode(member, [...path, String(key.value)], hidden) : [],
    );
  const shown = valueAt(hidden, path);
  return shown === value ? [] : [{ offset, length, put: JSON.stringify(shown ?? HIDDEN) }];
}

// `SyntaxKind` is a const enum, which single-file compilers cannot read.
const LINE_COMMENT = 12;
const BLOCK_COMMENT = 13;
const EOF = 17;

function hideComments(text: string): readonly Patch[] {
  const scanner = createScanner(text);
  const patches: Patch[] = [];
  for (let token: number = scanner.scan(); token !== EOF; token = scanner.scan()) {
    if (token !== LINE_COMMENT && token !== BLOCK_COMMENT) continue;
    const [offset, length] = [scanner.getTokenOffset(), scanner.getTokenLength()];
    patches.push({ offset, length, put: hideComment(text.slice(offset, offset + length)) });
  }
  return patches;
}

/** An entry that was commented out may hold what nothing marks as secret, so what holds a quoted text is not shown. */
function hideComment(comment: string): string {
  if (!comment.includes('"')) return scrub(comment, []);
  return comment.startsWith('//') ? `// ${HIDDEN}` : `/* ${HIDDEN} */`;
}

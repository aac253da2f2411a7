/** Reads the manifest in a category tool's description and builds calls from nothing else, as a model would. */
import type { JsonObject } from '../../src/model/json.ts';
import { fromSignature } from './from-signature.ts';

/** One action as a manifest tells it. */
export interface ToldAction {
  readonly action: string;
  /** Parameters in brackets. */
  readonly signature: string;
  readonly words: string;
}

/** The actions a description tells of, in its order. */
export function fromManifest(description: string): ToldAction[] {
  const [head = '', ...lines] = description.split('\n');
  if (!head.endsWith('Actions:')) throw new Error(`not a manifest: ${head}`);
  return lines.map(fromLine);
}

/** Arguments for an action: its required parameters, of the types it tells. */
export function toArguments({ signature }: ToldAction): JsonObject {
  return fromSignature(withQuotedValues(signature), false);
}

function fromLine(line: string): ToldAction {
  const quoted = /^"(?:[^"\\]|\\.)*"/.exec(line)?.[0];
  const name = quoted ?? line.slice(0, line.indexOf('('));
  const rest = line.slice(name.length);
  const end = findEnd(rest);
  const words = rest.slice(end);
  if (!rest.startsWith('(') || (words !== '' && !words.startsWith(': ')))
    throw new Error(`not an action: ${line}`);
  return {
    action: quoted === undefined ? name : (JSON.parse(quoted) as string),
    signature: rest.slice(0, end),
    words: words.slice(2),
  };
}

/** Where the brackets that a text begins with are closed. */
function findEnd(text: string): number {
  let depth = 0;
  let quoted = false;
  for (const [at, letter] of [...text].entries()) {
    if (letter === '"' && text[at - 1] !== '\\') quoted = !quoted;
    else if (!quoted && '({['.includes(letter)) depth += 1;
    else if (!quoted && ')}]'.includes(letter)) depth -= 1;
    if (depth === 0) return at + 1;
  }
  throw new Error(`not closed: ${text}`);
}

const TYPES = /^(string|integer|number|boolean|object|null|any|true|false)$/;

/** Bare words are values where none of them is a type. */
function withQuotedValues(signature: string): string {
  return signature.replace(
    /: ([A-Za-z][\w.-]*(?:\|[A-Za-z][\w.-]*)*)(\|…)?(?=,|\)$)/g,
    (whole, values: string, more = '') => {
      const each = values.split('|');
      return each.some((value) => TYPES.test(value))
        ? whole
        : `: ${each.map((v) => `"${v}"`).join('|')}${more}`;
    },
  );
}

/** Finds out whose answer an oversized line was, from its two ends alone. */
import type { OversizedLine } from './line-reader.ts';
import type { RequestId } from './message.ts';

const ID = String.raw`"id"\s*:\s*(-?\d+|"(?:[^"\\]|\\.)*")`;
const VERSION = String.raw`"jsonrpc"\s*:\s*"2\.0"`;
const HEAD = new RegExp(
  String.raw`^\s*\{\s*(?:${VERSION}\s*,\s*)?(?:${ID}\s*,\s*)?(?:${VERSION}\s*,\s*)?"(\w+)"\s*:`,
);
const TAIL = new RegExp(
  String.raw`(?:${VERSION}\s*,\s*${ID}|${ID}\s*,\s*${VERSION}|[}\]]\s*,\s*${ID})\s*\}\s*$`,
);

/** What the ends of a line say: a call of the other side, or an answer with its id where that stands at an end. */
export type OversizedKind =
  | { readonly is: 'call' }
  | { readonly is: 'answer'; readonly id: RequestId | undefined };

/** Reads the ends of a line that was too long to keep. */
export function readOversized(line: OversizedLine): OversizedKind {
  const head = HEAD.exec(line.head.toString('utf8'));
  const member = head?.[2];
  if (member === 'method' || member === 'params') return { is: 'call' };
  // The TypeScript SDK writes `id` behind the result, the Python SDK before it.
  const tail = TAIL.exec(line.tail.toString('utf8'));
  return { is: 'answer', id: parseId(head?.[1] ?? tail?.[1] ?? tail?.[2] ?? tail?.[3]) };
}

function parseId(text: string | undefined): RequestId | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as RequestId;
  } catch {
    // What looks like an id need not be JSON.
    return undefined;
  }
}

/** Turns good messages into bad ones, the same ones for the same seed. */

/** A source of numbers in [0, 1) that a seed determines. */
export type Random = () => number;

/** Creates a source; the generator is mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const WORDS = [
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
  ',',
  ':',
  '\n',
  '\r\n',
  '\0',
  'null',
  '1e999',
  '-0',
  '12345678901234567890',
  '\\u0000',
  '\\ud800',
  '"__proto__":',
  '"constructor":{"prototype":{"polluted":1}}',
  '"id":{}',
  '"jsonrpc":"1.0"',
  '"method":"tools/list"',
  '"Method":"tools/call"',
  '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[',
  '\ufeff',
  '\u2028',
  '💥',
];

type Mutation = (bytes: Buffer, random: Random) => Buffer;

const pick = <T>(list: readonly T[], random: Random): T => list[Math.floor(random() * list.length)] as T;
const place = (bytes: Buffer, random: Random) => Math.floor(random() * (bytes.length + 1));

const MUTATIONS: readonly Mutation[] = [
  (bytes, random) => bytes.subarray(0, place(bytes, random)),
  (bytes, random) => bytes.subarray(place(bytes, random)),
  (bytes, random) => insert(bytes, Buffer.from(pick(WORDS, random)), random),
  (bytes, random) => insert(bytes, Buffer.from([Math.floor(random() * 256)]), random),
  (bytes, random) => {
    const changed = Buffer.from(bytes);
    if (changed.length > 0) changed[Math.floor(random() * changed.length)] = Math.floor(random() * 256);
    return changed;
  },
  (bytes, random) => {
    const [from, to] = [place(bytes, random), place(bytes, random)].sort((a, b) => a - b);
    return insert(bytes, bytes.subarray(from, to), random);
  },
  (bytes, random) => {
    const [from, to] = [place(bytes, random), place(bytes, random)].sort((a, b) => a - b);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  },
  (bytes, random) =>
    insert(bytes, Buffer.from(pick(WORDS, random).repeat(Math.floor(random() * 200))), random),
];

/** A seed with one to four faults in it. */
export function mutate(bytes: Buffer, random: Random): Buffer {
  let changed = bytes;
  for (let faults = 1 + Math.floor(random() * 4); faults > 0; faults--)
    changed = pick(MUTATIONS, random)(changed, random);
  return changed;
}

/** The same bytes in pieces, cut anywhere. */
export function cut(bytes: Buffer, random: Random): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = Math.min(bytes.length, start + 1 + Math.floor(random() * 60));
    pieces.push(bytes.subarray(start, end));
    start = end;
  }
  return pieces;
}

function insert(bytes: Buffer, more: Buffer, random: Random): Buffer {
  const at = place(bytes, random);
  return Buffer.concat([bytes.subarray(0, at), more, bytes.subarray(at)]);
}

/** Good messages of every kind, to begin with. */
export const SEEDS: readonly Buffer[] = [
  { id: 1, method: 'ping' },
  { id: 'a', method: 'tools/list', params: {} },
  {
    id: 2,
    method: 'tools/call',
    params: { name: 'echo', arguments: { text: 'déjà vu', n: [1, 2.5, null, true] } },
  },
  { id: 3, method: 'tools/call', params: { name: 'echo', arguments: {}, _meta: { progressToken: 7 } } },
  { method: 'notifications/cancelled', params: { requestId: 2, reason: 'enough' } },
  { method: 'notifications/progress', params: { progressToken: 7, progress: 0.5 } },
  { id: 4, result: { content: [{ type: 'text', text: 'x'.repeat(300) }] } },
  { id: 5, error: { code: -32603, message: 'no', data: { a: [{}] } } },
  {
    id: 6,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} },
  },
].map((message) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message })));

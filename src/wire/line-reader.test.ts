import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineReader, type OversizedLine } from './line-reader.ts';
import { readOversized } from './oversized.ts';

function read(chunks: readonly Buffer[], limit: number) {
  const lines: string[] = [];
  const oversized: OversizedLine[] = [];
  const take = createLineReader(limit, {
    line: (bytes) => lines.push(bytes.toString()),
    overflow: (line) => oversized.push(line),
  });
  for (const chunk of chunks) take(chunk);
  return { lines, oversized };
}

describe('the line reader', () => {
  it('gives the same lines however the bytes are split', () => {
    const line = fc.string({ minLength: 1 }).map((text) => text.replaceAll('\n', '.'));
    fc.assert(
      fc.property(fc.array(line), fc.integer({ min: 1, max: 9 }), (lines, size) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        expect(read(chunks, 1_000_000).lines).toEqual(lines);
      }),
    );
  });

  it('drops a line past the limit, keeps its ends, and goes on with the next', () => {
    const long = `{"id":1,${'x'.repeat(1_000)},"end":2}`;
    for (const size of [1, 7, 300, 5_000]) {
      const bytes = Buffer.from(`a\n${long}\nb\n`);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      const { lines, oversized } = read(chunks, 500);
      expect(lines).toEqual(['a', 'b']);
      expect(oversized).toHaveLength(1);
      expect(oversized[0]?.bytes).toBe(long.length);
      expect(oversized[0]?.head.toString()).toBe(long.slice(0, 256));
      expect(oversized[0]?.tail.toString()).toBe(long.slice(-256));
    }
  });
});

describe('an oversized line', () => {
  const kindOf = (text: string) =>
    readOversized({
      bytes: 1,
      head: Buffer.from(text).subarray(0, 256),
      tail: Buffer.from(text).subarray(-256),
    });
  const filler = { text: 'x'.repeat(1_000), id: 99 };

  it('is known by its id before the result, as Python writes it', () => {
    expect(kindOf(JSON.stringify({ jsonrpc: '2.0', id: 5, result: filler }))).toEqual({
      is: 'answer',
      id: 5,
    });
  });

  it('is known by its id behind the result, as TypeScript writes it', () => {
    expect(kindOf(JSON.stringify({ result: filler, jsonrpc: '2.0', id: 'a"b' }))).toEqual({
      is: 'answer',
      id: 'a"b',
    });
    expect(kindOf(JSON.stringify({ jsonrpc: '2.0', result: filler, id: 6 }))).toEqual({
      is: 'answer',
      id: 6,
    });
  });

  it('is not known by an id inside the result', () => {
    expect(kindOf(JSON.stringify({ jsonrpc: '2.0', result: filler }))).toEqual({
      is: 'answer',
      id: undefined,
    });
  });

  it.each(['"\\q"', '"a\u0001b"', '"a\tb"', '0123', '-01'])(
    'is not known by %j, which is no id in JSON',
    (id) => {
      const head = `{"jsonrpc":"2.0","id":${id},"result":{"text":"${'x'.repeat(1_000)}"}}`;
      const tail = `{"result":{"text":"${'x'.repeat(1_000)}"},"jsonrpc":"2.0","id":${id}}`;
      expect(kindOf(head)).toEqual({ is: 'answer', id: undefined });
      expect(kindOf(tail)).toEqual({ is: 'answer', id: undefined });
    },
  );

  it('is known by an id that is not written in Latin letters', () => {
    const id = 'größe 漢';
    expect(kindOf(JSON.stringify({ jsonrpc: '2.0', id, result: filler }))).toEqual({ is: 'answer', id });
    expect(kindOf(JSON.stringify({ result: filler, jsonrpc: '2.0', id }))).toEqual({ is: 'answer', id });
  });

  it('is told apart from a request of the other side', () => {
    expect(kindOf(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x', params: filler }))).toEqual({
      is: 'call',
    });
    expect(kindOf(JSON.stringify({ method: 'x', params: filler, jsonrpc: '2.0', id: 1 }))).toEqual({
      is: 'call',
    });
  });
});

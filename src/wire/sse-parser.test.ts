import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSseParser, type SseEvent } from './sse-parser.ts';

function parse(chunks: readonly Buffer[], limit = 1_000_000) {
  const events: SseEvent[] = [];
  const overflows: number[] = [];
  const retries: number[] = [];
  const take = createSseParser(limit, {
    event: (event) => events.push(event),
    overflow: (bytes) => overflows.push(bytes),
    retry: (delay) => retries.push(delay),
  });
  for (const chunk of chunks) take(chunk);
  return { events, overflows, retries };
}

function splitAt(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, at) => bytes.subarray(from, places[at] ?? bytes.length));
}

const STREAM = Buffer.from(
  '\uFEFF: hello\n\nevent: endpoint\ndata: /messages?x=1\n\nid: 7\nretry: 250\ndata: {"a":"ü世😀"}\ndata:two\r\n\r\ndata\rid\r\rbogus: x\nid: a\0b\ndata:  y\n\ndata: unfinished',
);
const EXPECTED = [
  { event: 'endpoint', data: '/messages?x=1', id: undefined },
  { event: 'message', data: '{"a":"ü世😀"}\ntwo', id: '7' },
  { event: 'message', data: '', id: '' },
  { event: 'message', data: ' y', id: '' },
];

describe('the parser of event streams', () => {
  it('reads events, ids, comments, retries and every kind of line end', () => {
    expect(parse([STREAM])).toEqual({ events: EXPECTED, overflows: [], retries: [250] });
  });

  it('reads the same when the bytes come one by one', () => {
    expect(parse([...STREAM].map((byte) => Buffer.from([byte]))).events).toEqual(EXPECTED);
  });

  it('reads the same wherever the bytes are split', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 1_000 }), { maxLength: 20 }), (cuts) => {
        expect(parse(splitAt(STREAM, cuts)).events).toEqual(EXPECTED);
      }),
    );
  });

  it('carries any text a server can write', () => {
    const text = fc.string({ unit: 'binary' }).filter((value) => value !== '');
    fc.assert(
      fc.property(
        fc.array(text),
        fc.array(fc.nat({ max: 5_000 })),
        fc.constantFrom('\n', '\r', '\r\n'),
        (texts, cuts, end) => {
          const values = texts.map((value) => JSON.stringify(Buffer.from(value).toString()));
          const bytes = Buffer.from(values.map((value) => `data: ${value}${end}${end}`).join(''));
          expect(parse(splitAt(bytes, cuts)).events.map(({ data }) => data)).toEqual(values);
        },
      ),
    );
  });

  it('drops an event that is too long, and only that one', () => {
    const bytes = Buffer.from(`data: a\n\ndata: ${'x'.repeat(100)}\ndata: more\n\ndata: b\n\n`);
    for (const chunks of [[bytes], [...bytes].map((byte) => Buffer.from([byte]))]) {
      const { events, overflows } = parse(chunks, 50);
      expect(events.map(({ data }) => data)).toEqual(['a', 'b']);
      expect(overflows).toHaveLength(1);
    }
  });
});

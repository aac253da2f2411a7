import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../errors/gateway-error.ts';
import type { JsonObject } from '../model/json.ts';
import { parseBounded } from './bounded-json.ts';
import { DEPTH_LIMIT, NODE_LIMIT } from './limits.ts';

const parse = (text: string) => parseBounded(Buffer.from(text));

describe('what a client sends', () => {
  it('keeps __proto__ an ordinary member', () => {
    const value = parse(
      '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    ) as JsonObject;
    expect(Object.hasOwn(value, '__proto__')).toBe(true);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(JSON.stringify(value)).toContain('__proto__');
  });

  it('may hold a string of 3 MB, whatever is in it', () => {
    const text = '[{,\\"'.repeat(500_000);
    expect(parse(JSON.stringify({ text }))).toEqual({ text });
  });

  it('may be as deep as the limit and no deeper', () => {
    expect(() => parse('['.repeat(DEPTH_LIMIT) + ']'.repeat(DEPTH_LIMIT))).not.toThrow();
    expect(() => parse('['.repeat(DEPTH_LIMIT + 1) + ']'.repeat(DEPTH_LIMIT + 1))).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST' }),
    );
    expect(() => parse('{"a":'.repeat(500_000))).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST' }),
    );
  });

  it('may have as many values as the limit and no more', () => {
    const list = (length: number) => JSON.stringify(Array.from({ length }, () => 0));
    expect(() => parse(list(NODE_LIMIT))).not.toThrow();
    expect(() => parse(list(NODE_LIMIT + 1))).toThrow(expect.objectContaining({ code: 'BODY_TOO_LARGE' }));
  });

  it.each(['', '{', 'nonsense', '"open', '{"a":1}{"b":2}', "{'a':1}", '\\"'])(
    'refuses %j as not JSON',
    (text) => {
      expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'PARSE_ERROR' }));
    },
  );

  it('refuses numbers that would not arrive as they were sent', () => {
    for (const number of ['1e999', '-2.5E+400', '[1,1e309]'])
      expect(() => parse(number)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
    for (const number of ['1e308', '-2.5E-400', '"1e999"', '[true,false,1e5]'])
      expect(() => parse(number)).not.toThrow();
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(() => parseBounded(Buffer.from([0x22, 0xff, 0x22]))).toThrow(
      expect.objectContaining({ code: 'PARSE_ERROR' }),
    );
  });
});

const JSON_TEXT = fc.json({ maxDepth: 8 });

describe('any JSON a client may send', () => {
  it('is read as JSON.parse reads it', () => {
    fc.assert(
      fc.property(JSON_TEXT, (text) => {
        const overflows = /e\+?\d{3,}/i.test(text);
        if (!overflows) expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('is refused with a typed error when it is cut or changed anywhere, or still is JSON', () => {
    const changed = fc.tuple(JSON_TEXT, fc.nat(), fc.uint8Array({ maxLength: 4 }));
    fc.assert(
      fc.property(changed, ([text, at, bytes]) => {
        const whole = Buffer.from(text);
        const place = at % (whole.length + 1);
        const broken = Buffer.concat([whole.subarray(0, place), bytes, whole.subarray(place + bytes.length)]);
        try {
          parseBounded(broken);
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

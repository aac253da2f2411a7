import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../model/json.ts';
import { DEPTH_LIMIT, NODE_LIMIT } from '../limits.ts';
import { parseJson } from './body.ts';

const parse = (text: string) => parseJson(Buffer.from(text));

describe('a body', () => {
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

  it('refuses bytes that are not UTF-8', () => {
    expect(() => parseJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow(
      expect.objectContaining({ code: 'PARSE_ERROR' }),
    );
  });
});

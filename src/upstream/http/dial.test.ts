import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { toStatusError } from './dial.ts';

const url = new URL('http://127.0.0.1:1/mcp');
const refuse = (statusCode: number, retryAfter?: string) =>
  toStatusError(
    { statusCode, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } } as IncomingMessage,
    url,
  );

describe('a refusal for being asked too much', () => {
  it('says when to try again, whether told in seconds or as a date', () => {
    expect(refuse(429, '7')).toMatchObject({
      code: 'TOO_BUSY',
      message: 'http://127.0.0.1:1/mcp answered 429: it is asked too much; try again in 7 s',
      data: { status: 429, retryInMs: 7_000 },
    });
    const inAMinute = new Date(Date.now() + 60_000).toUTCString();
    const { retryInMs } = refuse(503, inAMinute).data;
    expect(Number(retryInMs)).toBeGreaterThan(50_000);
    expect(Number(retryInMs)).toBeLessThanOrEqual(60_000);
  });

  it('believes neither nonsense nor more than an hour', () => {
    expect(refuse(429, 'soon').data).toEqual({ status: 429 });
    expect(refuse(429, '99999999').data).toEqual({ status: 429, retryInMs: 3_600_000 });
    expect(refuse(429, 'Thu, 01 Jan 1970 00:00:00 GMT').data).toEqual({ status: 429, retryInMs: 0 });
  });

  it('is no such where a server is just broken', () => {
    expect(refuse(503).code).toBe('UPSTREAM_UNAVAILABLE');
    expect(refuse(500, '7').code).toBe('UPSTREAM_UNAVAILABLE');
  });
});

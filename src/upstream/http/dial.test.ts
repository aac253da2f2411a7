import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { toStatusError } from './dial.ts';

const url = new URL('http://127.0.0.1:1/mcp');
const refuse = (statusCode: number, retryAfter?: string) =>
  toStatusError(
    { statusCode, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } } as IncomingMessage,
    url,
  );

describe('a refusal', () => {
  it.each([
    [401, 'UPSTREAM_AUTH', /answered 401; give it valid credentials/],
    [403, 'UPSTREAM_AUTH', /answered 403; .*with this login .* for the right/],
    [404, 'UPSTREAM_PROTOCOL', /answered 404; check the URL/],
    [500, 'UPSTREAM_UNAVAILABLE', /answered 500; the fault is its own/],
  ])('with %i is told with what can be done about it', (status, code, message) => {
    expect(refuse(status)).toMatchObject({ code, message: expect.stringMatching(message) });
  });
});

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

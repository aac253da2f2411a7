import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import type { Message } from '../../../wire/message.ts';
import { createNewsStream } from './news-stream.ts';

const NEWS = 'data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n\n';

interface Answer {
  readonly status: number;
  readonly headers?: IncomingHttpHeaders;
  readonly body?: string;
}

const STREAM = { status: 200, headers: { 'content-type': 'text/event-stream' } };

/** A server that gives each answer in turn, the last one for ever. */
function serve(...answers: readonly Answer[]) {
  const clock = createFakeClock();
  const stop = new AbortController();
  const delivered: Message[] = [];
  const dialledAt: number[] = [];
  let lost = 0;
  createNewsStream({
    options: { url: new URL('http://127.0.0.1/mcp'), headers: {}, limitBytes: 1024, clock },
    dialer: {
      async send() {
        const answer = answers[Math.min(dialledAt.length, answers.length - 1)];
        dialledAt.push(clock.now());
        return toResponse(answer ?? STREAM);
      },
      close() {},
    },
    signal: stop.signal,
    headers: () => ({}),
    deliver: (message) => delivered.push(message),
    lost: () => {
      lost += 1;
    },
    gone() {},
  });
  return { clock, delivered, dialledAt, stop, lost: () => lost };
}

function toResponse({ status, headers = {}, body = '' }: Answer): IncomingMessage {
  return Object.assign(Readable.from([Buffer.from(body)]), { statusCode: status, headers }) as never;
}

describe('the stream of news', () => {
  it.each([408, 429, 500, 503])('is asked for again when the answer was %i', async (status) => {
    const { clock, delivered, stop } = serve({ status }, { ...STREAM, body: NEWS });
    await clock.advance(1_000);
    expect(delivered.length).toBeGreaterThan(0);
    stop.abort();
  });

  it.each([400, 404, 405])('is not asked for again when the answer was %i', async (status) => {
    const { clock, dialledAt, lost } = serve({ status });
    await clock.advance(3_600_000);
    expect(dialledAt).toHaveLength(1);
    expect(lost()).toBe(status === 404 ? 1 : 0);
  });

  it('is asked for when the server said to come back', async () => {
    const busy = { status: 429, headers: { 'retry-after': '120' } };
    const { clock, dialledAt, stop } = serve(busy, { ...STREAM, body: NEWS });
    await clock.advance(119_999);
    expect(dialledAt).toHaveLength(1);
    await clock.advance(1);
    expect(dialledAt[1]).toBe(120_000);
    stop.abort();
  });

  it('is asked for less and less often while it ends at once without a word', async () => {
    const { clock, dialledAt, stop } = serve(STREAM);
    await clock.advance(600_000);
    expect(dialledAt.length).toBeGreaterThan(5);
    expect(dialledAt.length).toBeLessThan(200);
    stop.abort();
  });

  it('is asked for again soon where it ends after each event', async () => {
    const { clock, delivered, stop } = serve({ ...STREAM, body: NEWS });
    await clock.advance(60_000);
    expect(delivered.length).toBeGreaterThanOrEqual(60);
    stop.abort();
  });
});

import { describe, expect, it } from 'vitest';
import { RpcError } from '../errors/gateway-error.ts';
import type { CancelSignal } from '../lib/cancel.ts';
import type { JsonObject } from '../model/json.ts';
import type { Era } from '../model/mcp.ts';
import { createDeferred, type Deferred } from './deferred.ts';
import type { Connection } from './upstream.ts';
import { createWatches } from './watches.ts';

interface Stream {
  readonly uris: unknown;
  readonly signal: CancelSignal;
  readonly answer: Deferred<JsonObject>;
}

function createServer(era: Era) {
  const streams: Stream[] = [];
  const said: { readonly text: string; readonly answer: Deferred<JsonObject> }[] = [];
  const connection = {
    hello: { era },
    listen({ resourceSubscriptions: uris }: JsonObject, signal: CancelSignal) {
      const answer = createDeferred<JsonObject>();
      streams.push({ uris, signal, answer });
      return answer.promise;
    },
    request(method: string, { uri }: JsonObject) {
      const answer = createDeferred<JsonObject>();
      said.push({ text: `${method} ${String(uri)}`, answer });
      return answer.promise;
    },
  } as unknown as Connection;
  const agree = (at: number) =>
    streams[at]?.answer.resolve({ resourceSubscriptions: streams[at].uris as never });
  const isOpen = () => streams.map(({ signal }) => !signal.aborted);
  return { connection, streams, said, agree, isOpen };
}

const settle = () => new Promise<void>(setImmediate);
const refusal = new RpcError(-32601, 'Method not found');

function setUp(era: Era) {
  const stop = new AbortController();
  return { stop, watches: createWatches(stop.signal, 'x'), ...createServer(era) };
}

/** Has a modern server watch some resources. */
async function watchAll(uris: readonly string[]) {
  const parts = setUp('modern');
  const asked = uris.map((uri) => parts.watches.add(uri, parts.connection));
  await settle();
  parts.agree(0);
  await Promise.all(asked);
  return parts;
}

describe('resources of a modern server', () => {
  it('that are asked for together are watched by one stream', async () => {
    const { streams } = await watchAll(['b:', 'a:', 'b:']);
    expect(streams.map(({ uris }) => uris)).toEqual([['a:', 'b:']]);
  });

  it('are watched by the stream before until there is another', async () => {
    const { watches, connection, streams, agree, isOpen } = await watchAll(['a:']);
    const asked = watches.add('b:', connection);
    await settle();
    expect(isOpen()).toEqual([true, true]);
    agree(1);
    await asked;
    expect(isOpen()).toEqual([false, true]);
    watches.remove('a:', connection);
    await settle();
    agree(2);
    await settle();
    expect(streams[2]?.uris).toEqual(['b:']);
    expect(isOpen()).toEqual([false, false, true]);
    watches.remove('b:', connection);
    await settle();
    expect(isOpen()).toEqual([false, false, false]);
  });

  it('are not said to be watched when the server refuses, and cost the others nothing', async () => {
    const { watches, connection, streams, agree, isOpen } = await watchAll(['a:']);
    const both = ['b:', 'b:'].map((uri) => expect(watches.add(uri, connection)).rejects.toBe(refusal));
    await settle();
    streams[1]?.answer.reject(refusal);
    await Promise.all(both);
    await settle();
    expect(streams[2]?.uris).toEqual(['a:']);
    expect(isOpen()[0]).toBe(true);
    agree(2);
    await settle();
    expect(isOpen()).toEqual([false, false, true]);
  });

  it('are not said to be watched when the server leaves them out of what it agrees to', async () => {
    const { watches, connection, streams, isOpen } = setUp('modern');
    const [first, second] = ['a:', 'b:'].map((uri) => watches.add(uri, connection));
    const refused = expect(second).rejects.toMatchObject({
      code: 'METHOD_NOT_FOUND',
      message: expect.stringMatching(/^x: does not tell of changes of b:/),
    });
    await settle();
    streams[0]?.answer.resolve({ resourceSubscriptions: ['a:'] });
    await Promise.all([first, refused]);
    await settle();
    expect(streams[1]?.uris).toEqual(['a:']);
    expect(isOpen()).toEqual([true, true]);
  });

  it('are asked for again at a fresh link, and no more once all is stopped', async () => {
    const { watches, stop, isOpen } = await watchAll(['a:', 'b:']);
    const next = createServer('modern');
    watches.renew(next.connection);
    await settle();
    expect(next.streams.map(({ uris }) => uris)).toEqual([['a:', 'b:']]);
    expect([isOpen(), next.isOpen()]).toEqual([[false], [true]]);
    stop.abort();
    expect(next.isOpen()).toEqual([false]);
  });
});

describe('resources of a legacy server', () => {
  it('are subscribed to once, and everybody who asks meanwhile hears the answer', async () => {
    const { watches, connection, said } = setUp('legacy');
    const both = [watches.add('a:', connection), watches.add('a:', connection)];
    const heard = Promise.allSettled(both);
    expect(said.map(({ text }) => text)).toEqual(['resources/subscribe a:']);
    said[0]?.answer.reject(refusal);
    expect((await heard).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const again = watches.add('a:', connection);
    said[1]?.answer.resolve({});
    await again;
    watches.remove('a:', connection);
    expect(said.at(-1)?.text).toBe('resources/unsubscribe a:');
  });

  it('are unsubscribed from when the last one goes', async () => {
    const { watches, connection, said } = setUp('legacy');
    const both = [watches.add('a:', connection), watches.add('a:', connection)];
    said[0]?.answer.resolve({});
    await Promise.all(both);
    watches.remove('a:', connection);
    expect(said).toHaveLength(1);
    watches.remove('a:', connection);
    watches.remove('a:', connection);
    expect(said.map(({ text }) => text)).toEqual(['resources/subscribe a:', 'resources/unsubscribe a:']);
  });
});

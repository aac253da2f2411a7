import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { GatewayError, RpcError } from '../errors/gateway-error.ts';
import type { CancelSignal } from '../lib/cancel.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Channel } from './channel.ts';
import { createLineChannel } from './line-channel.ts';
import { createChannelPair } from './memory-channel.ts';
import { type InboundCall, openPeer, type Peer, type PeerOwner } from './peer.ts';
import { isUnsent } from './unsent.ts';

type Answer = (method: string, params: JsonObject, call: InboundCall) => Promise<JsonObject>;

function openPair(answer: Answer, owner: Partial<PeerOwner> = {}) {
  const clock = createFakeClock();
  const [left, right] = createChannelPair();
  const quiet = { onRequest: async () => ({}), onNotification() {} };
  const client: Peer = openPeer(left, { ...quiet, ...owner }, clock);
  const server: Peer = openPeer(right, { ...quiet, onRequest: answer }, clock);
  return { client, server, clock };
}

const never: Answer = () => new Promise(() => {});

describe('a peer', () => {
  it('matches each answer to its request', async () => {
    const { client } = openPair(async (_method, params) => ({ got: params['n'] }));
    const results = await Promise.all([1, 2, 3].map((n) => client.request('x', { n })));
    expect(results).toEqual([{ got: 1 }, { got: 2 }, { got: 3 }]);
    expect(client.pending).toBe(0);
  });

  it('passes an error on with its code and data', async () => {
    const { client } = openPair(async () => {
      throw new RpcError(-32050, 'no', { a: 1 });
    });
    await expect(client.request('x', {})).rejects.toMatchObject({ code: -32050, data: { a: 1 } });
  });

  it('gives up after silence, and tells the other side', async () => {
    const signals: CancelSignal[] = [];
    const { client, clock } = openPair((_method, _params, call) => {
      signals.push(call.signal);
      return new Promise(() => {});
    });
    const failure = client.request('slow', {}, { timeoutMs: 1_000 }).catch((error: unknown) => error);
    await clock.advance(1_000);
    expect(await failure).toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
    await clock.advance(0);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(clock.waiting).toBe(0);
  });

  it('takes progress for a sign of life, and reports it', async () => {
    let report: (progress: number) => void = () => {};
    const { client, clock } = openPair((_method, params, call) => {
      const { progressToken } = params['_meta'] as { progressToken: number };
      report = (progress) => call.notify('notifications/progress', { progressToken, progress });
      return new Promise(() => {});
    });
    const heard: unknown[] = [];
    const onProgress = ({ progress }: JsonObject) => heard.push(progress);
    let failed = false;
    client.request('slow', {}, { timeoutMs: 1_000, onProgress }).catch(() => {
      failed = true;
    });
    for (const step of [1, 2, 3]) {
      await clock.advance(900);
      report(step);
      await clock.advance(0);
    }
    expect({ heard, failed }).toEqual({ heard: [1, 2, 3], failed: false });
    await clock.advance(1_000);
    expect(failed).toBe(true);
  });

  it('does not answer a request that was cancelled', async () => {
    const strays: unknown[] = [];
    let finish: (result: JsonObject) => void = () => {};
    const answer: Answer = () => new Promise((resolve) => (finish = resolve));
    const { client, clock } = openPair(answer, { onStray: (message) => strays.push(message) });
    const controller = new AbortController();
    const failure = client.request('x', {}, { signal: controller.signal }).catch((error: unknown) => error);
    await clock.advance(0);
    controller.abort(new Error('enough'));
    expect(await failure).toMatchObject({ message: 'enough' });
    await clock.advance(0);
    finish({});
    await clock.advance(0);
    expect(strays).toEqual([]);
  });

  it('rejects what is pending when the channel closes, and later requests as never sent', async () => {
    const { client, server } = openPair(never);
    const pending = client.request('x', {}).catch((error: unknown) => error);
    await server.close();
    expect(await pending).toBeInstanceOf(GatewayError);
    expect(isUnsent(await pending)).toBe(false);
    expect(isUnsent(await client.request('x', {}).catch((error: unknown) => error))).toBe(true);
  });
});

/** Reading JSON has no bound in depth, writing it has. */
const toDeep = () => JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as JsonValue;

describe('what is nested too deep to be written', () => {
  function openLines(answer: Answer) {
    const there = new PassThrough();
    const back = new PassThrough();
    const heard: string[] = [];
    const owner = { onRequest: answer, onNotification: (method: string) => void heard.push(method) };
    const client = openPeer(createLineChannel({ input: back, output: there }), owner);
    const server = openPeer(createLineChannel({ input: there, output: back }), owner);
    return { client, server, heard };
  }

  it('is left out when it is news, and the next news come', async () => {
    const { client, server, heard } = openLines(async () => ({}));
    server.notify('notifications/message', { data: toDeep() });
    server.notify('notifications/next', {});
    await client.request('ping', {});
    expect(heard).toEqual(['notifications/next']);
  });

  it('fails the request it was to be, and leaves none behind', async () => {
    const { server } = openLines(async () => ({}));
    const asked = server.request('sampling/createMessage', { messages: toDeep() }, { timeoutMs: 60_000 });
    await expect(asked).rejects.toMatchObject({ code: 'RESULT_TOO_LARGE' });
    expect(server.pending).toBe(0);
  });

  it.each([
    ['an answer', () => ({ structuredContent: { deep: toDeep() } })],
    [
      'an answer with a long text',
      () => ({ content: [{ text: 'x'.repeat(300_000) }], structuredContent: { deep: toDeep() } }),
    ],
  ])('is an error in place of %s', async (_what, toResult) => {
    const { client } = openLines(async () => toResult());
    await expect(client.request('tools/call', {})).rejects.toMatchObject({
      data: { code: 'RESULT_TOO_LARGE' },
    });
  });

  it('is an error in place of an answer also where the channel itself cannot write it', async () => {
    const [left, right] = createChannelPair();
    const picky: Channel = {
      open: (receiver) => right.open(receiver),
      send(message) {
        JSON.stringify(message);
        right.send(message);
      },
      close: () => right.close(),
    };
    const quiet = { onRequest: async () => ({ deep: toDeep() }), onNotification() {} };
    const client = openPeer(left, quiet);
    openPeer(picky, quiet);
    await expect(client.request('x', {})).rejects.toMatchObject({ data: { code: 'RESULT_TOO_LARGE' } });
  });
});

import { describe, expect, it } from 'vitest';
import { createContext } from '../../test/support/contexts.ts';
import { createFastClock } from '../../test/support/fake-clock.ts';
import { createTestUpstreams, toConfig } from '../../test/support/upstream-parts.ts';
import type { CallContext, ClientPort } from '../model/call.ts';
import type { JsonObject } from '../model/json.ts';
import type { Upstream, UpstreamConfig } from './upstream.ts';

/** A client of a conversation of its own, with what it says when it is asked. */
function createClient(conversation: string, ask: NonNullable<ClientPort['ask']>): CallContext {
  const facts = { ...createContext().facts, capabilities: { elicitation: {} } };
  return createContext({ conversation, facts, client: { notify() {}, ask } });
}

/** Somebody who never answers, but hears when the question is taken back. */
function createSilent(): { ask: NonNullable<ClientPort['ask']>; asked: () => number } {
  let asked = 0;
  return {
    asked: () => asked,
    ask: (_method, _params, signal) =>
      new Promise((_, reject) => {
        asked += 1;
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
  };
}

const answering = async (): Promise<JsonObject> => ({ action: 'accept', content: { answer: 'yes' } });

async function start(more: Partial<UpstreamConfig> = {}) {
  const long = { timeoutMs: 6_000_000, startTimeoutMs: 6_000_000 };
  const { upstreams } = createTestUpstreams({ clock: createFastClock(100) });
  await upstreams.apply([toConfig('asking', 'asking.mjs', ['--legacy'], { ...long, ...more })]);
  const [asking] = upstreams.all as [Upstream];
  await asking.firstContact;
  return { asking, stop: () => upstreams[Symbol.asyncDispose]() };
}

async function call(upstream: Upstream, name: string, canary: string, context: CallContext): Promise<string> {
  const result = await upstream.request('tools/call', { name, arguments: { canary } }, context);
  return (result['content'] as { text: string }[])[0]?.text ?? '';
}

describe('a program that asks back', () => {
  it('is had by others although one never answers: the question is taken back, and its call ends', async () => {
    const { asking, stop } = await start();
    const silent = createSilent();
    const held = call(asking, 'ask', 'mine', createClient('a', silent.ask));
    await expect.poll(silent.asked).toBe(1);
    // Twice thirty seconds in vain at the most.
    const patient = createClient('b', answering);
    const tries = async (): Promise<string> =>
      call(asking, 'ask', 'yours', patient).catch((error: { code: string }) => {
        expect(error.code).toBe('TOO_BUSY');
        return tries();
      });
    expect(await tries()).toBe('yours got yes');
    expect(await held).toBe('mine got cancel');
    await stop();
  });

  it('lets nobody wait who has an instance of their own', async () => {
    const { asking, stop } = await start({ interactive: 'per-session' });
    const silent = createSilent();
    const held = call(asking, 'ask', 'mine', createClient('a', silent.ask)).catch(() => 'stopped');
    await expect.poll(silent.asked).toBe(1);
    expect(await call(asking, 'ask', 'yours', createClient('b', answering))).toBe('yours got yes');
    await stop();
    expect(await held).toBe('stopped');
  });
});

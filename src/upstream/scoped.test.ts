import { describe, expect, it } from 'vitest';
import { createContext } from '../../test/support/contexts.ts';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createFakeUpstreams } from '../../test/support/fake-upstreams.ts';
import type { CallContext } from '../model/call.ts';
import type { UpstreamId } from '../model/ids.ts';
import { createScopedUpstream, type Scope } from './scoped.ts';
import type { Upstream } from './upstream.ts';

const IDLE_MS = 2 * 60_000;

function setUp(interactive: Upstream['config']['interactive'] = 'per-session') {
  const clock = createFakeClock();
  const fake = createFakeUpstreams({ one: { tools: ['t'] } });
  const base = fake.get('one' as UpstreamId) as Upstream;
  const shared: Upstream = { ...base, config: { ...base.config, interactive } };
  const opened: Scope[] = [];
  const stopped: string[] = [];
  const seen: { where: string; conversation: string }[] = [];
  const instance = (where: string): Upstream => ({
    ...shared,
    async request(_method, params, call) {
      seen.push({ where, conversation: call.conversation });
      await params['until'];
      return {};
    },
    async [Symbol.asyncDispose]() {
      stopped.push(where);
    },
  });
  const upstream = createScopedUpstream({
    shared: instance('shared'),
    clock,
    open(scope) {
      opened.push(scope);
      return instance(scope.key);
    },
  });
  return { clock, upstream, opened, stopped, seen };
}

const client = (conversation: string, era: 'legacy' | 'modern' = 'legacy', more: Partial<CallContext> = {}) =>
  createContext({ conversation, facts: { ...createContext().facts, era, name: 'same' }, ...more });

describe('a server that each session has for itself', () => {
  it('is started once a session, and never for another', async () => {
    const { upstream, opened, seen } = setUp();
    for (const who of ['a', 'b', 'a']) await upstream.request('tools/call', {}, client(who));
    expect(opened.map(({ key }) => key)).toEqual(['local session a', 'local session b']);
    expect(seen.map(({ where }) => where)).toEqual(['local session a', 'local session b', 'local session a']);
  });

  it('keeps requests of modern clients apart, since a name proves nothing', async () => {
    const { upstream, seen } = setUp();
    await upstream.request('tools/call', {}, client('alice', 'modern'));
    await upstream.request('tools/call', {}, client('bob', 'modern'));
    expect(seen.map(({ conversation }) => conversation)).toEqual(['alice', 'bob']);
  });

  it('is stopped when it was idle long enough, and never in the middle of a call', async () => {
    const { upstream, clock, stopped } = setUp();
    let finish = () => {};
    const until = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const running = upstream.request('tools/call', { until: until as never }, client('a'));
    await clock.advance(IDLE_MS * 2);
    expect(stopped).toEqual([]);
    finish();
    await running;
    await clock.advance(IDLE_MS);
    expect(stopped).toEqual(['local session a']);
  });

  it('that was restarted in the middle of a call does not take its successor with it', async () => {
    const { upstream, clock, stopped, opened, seen } = setUp();
    let finish = () => {};
    const until = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const running = upstream.request('tools/call', { until: until as never }, client('a'));
    await clock.advance(0);
    await upstream.restart('a person asked');
    finish();
    await running;
    await clock.advance(IDLE_MS / 2);
    await upstream.request('tools/call', {}, client('a'));
    await clock.advance(IDLE_MS / 2);
    expect(stopped).toEqual(['local session a']);
    await upstream.request('tools/call', {}, client('a'));
    expect([opened.length, seen.length]).toEqual([2, 3]);
    await clock.advance(IDLE_MS);
    expect(stopped).toEqual(['local session a', 'local session a']);
    expect(clock.waiting).toBe(0);
  });

  it('is not started more often than a machine bears', async () => {
    const { upstream, opened, stopped } = setUp();
    for (let at = 0; at < 40; at++) await upstream.request('tools/call', {}, client(`c${at}`));
    expect(opened.length - stopped.length).toBe(32);
    expect(stopped[0]).toBe('local session c0');
  });
});

it('is shared by all where nobody asked for more', async () => {
  const { upstream, opened, seen } = setUp('shared');
  await upstream.request('tools/call', {}, client('a'));
  await upstream.request('tools/call', {}, client('b'));
  expect(opened).toEqual([]);
  expect(seen.map(({ where }) => where)).toEqual(['shared', 'shared']);
});

import { describe, expect, it } from 'vitest';
import { createContext } from '../../test/support/contexts.ts';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createFakeUpstreams } from '../../test/support/fake-upstreams.ts';
import type { CallContext } from '../model/call.ts';
import type { UpstreamId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import { createDeferred } from './deferred.ts';
import { createScopedUpstream, type Scope } from './scoped.ts';
import type { Upstream } from './upstream.ts';

const IDLE_MS = 2 * 60_000;

interface SetUp {
  readonly interactive?: Upstream['config']['interactive'];
  /** False where instances end only with `ending`. */
  readonly endsAtOnce?: boolean;
  readonly asksRoots?: boolean;
}

function setUp({ interactive = 'per-session', endsAtOnce = true, asksRoots = false }: SetUp = {}) {
  const clock = createFakeClock();
  const fake = createFakeUpstreams({ one: { tools: ['t'] } });
  const base = fake.get('one' as UpstreamId) as Upstream;
  const manifest = base.manifest && { ...base.manifest, traits: { asksRoots } };
  const shared: Upstream = { ...base, manifest, config: { ...base.config, interactive } };
  const opened: Scope[] = [];
  const stopped: string[] = [];
  const restarted: string[] = [];
  const ended: string[] = [];
  const afters: (Promise<unknown> | undefined)[] = [];
  const ending = createDeferred<void>();
  if (endsAtOnce) ending.resolve();
  const seen: { where: string; conversation: string }[] = [];
  const instance = (where: string): Upstream => ({
    ...shared,
    async request(_method, params, call) {
      seen.push({ where, conversation: call.conversation });
      await params['until'];
      return {};
    },
    async restart() {
      restarted.push(where);
    },
    async [Symbol.asyncDispose]() {
      stopped.push(where);
      await ending.promise;
      ended.push(where);
    },
  });
  const upstream = createScopedUpstream({
    shared: instance('shared'),
    clock,
    open(scope, after) {
      opened.push(scope);
      afters.push(after);
      return instance(scope.key);
    },
  });
  return { clock, upstream, opened, stopped, restarted, seen, ended, afters, ending };
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

  it('is restarted where it stands when somebody uses it, and only ended when nobody does', async () => {
    const { upstream, clock, stopped, opened, restarted } = setUp();
    const { promise: until, resolve: finish } = createDeferred<void>();
    const running = upstream.request('tools/call', { until: until as never }, client('a'));
    await upstream.request('tools/call', {}, client('b'));
    await upstream.restart('a person asked');
    // What was watched there is watched on, since it is the same instance.
    expect([restarted, stopped]).toEqual([['local session a'], ['local session b']]);
    finish();
    await running;
    await upstream.request('tools/call', {}, client('a'));
    expect(opened).toHaveLength(2);
    await clock.advance(IDLE_MS);
    expect(stopped).toEqual(['local session b', 'local session a']);
    expect(clock.waiting).toBe(0);
  });

  it('is started anew only when the one before it is gone, and waited for when all ends', async () => {
    const { upstream, afters, ended, ending } = setUp({ endsAtOnce: false });
    await upstream.request('tools/call', {}, client('a'));
    await upstream.restart('a person asked');
    await upstream.request('tools/call', {}, client('a'));
    expect(afters).toEqual([undefined, expect.any(Promise)]);
    const all = upstream[Symbol.asyncDispose]();
    ending.resolve();
    await all;
    expect([...ended].sort()).toEqual(['local session a', 'local session a', 'shared']);
  });

  it('is not started any more when a client tells its roots too late', async () => {
    const { upstream, opened, seen } = setUp({ interactive: 'shared', asksRoots: true });
    const told = createDeferred<JsonObject>();
    const { facts } = createContext();
    const call = client('a', 'legacy', {
      facts: { ...facts, capabilities: { roots: {} } },
      client: { notify() {}, ask: () => told.promise },
    });
    const running = upstream.request('tools/call', {}, call);
    await upstream[Symbol.asyncDispose]();
    told.resolve({ roots: [] });
    await running;
    expect([opened, seen.map(({ where }) => where)]).toEqual([[], ['shared']]);
  });

  it('is not started for all where a restart finds it with single clients only', async () => {
    const { upstream, stopped, restarted } = setUp();
    await upstream.request('tools/call', {}, client('a'));
    await upstream.restart('a person asked');
    expect([stopped, restarted]).toEqual([['local session a'], []]);
    await upstream.restart('a person asked');
    expect(restarted).toEqual(['shared']);
  });

  it('is not started more often than a machine bears', async () => {
    const { upstream, opened, stopped } = setUp();
    for (let at = 0; at < 40; at++) await upstream.request('tools/call', {}, client(`c${at}`));
    expect(opened.length - stopped.length).toBe(32);
    expect(stopped[0]).toBe('local session c0');
  });
});

it('is shared by all where nobody asked for more', async () => {
  const { upstream, opened, seen } = setUp({ interactive: 'shared' });
  await upstream.request('tools/call', {}, client('a'));
  await upstream.request('tools/call', {}, client('b'));
  expect(opened).toEqual([]);
  expect(seen.map(({ where }) => where)).toEqual(['shared', 'shared']);
});

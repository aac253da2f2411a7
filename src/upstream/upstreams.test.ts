import { describe, expect, it } from 'vitest';
import { createFastClock } from '../../test/support/fake-clock.ts';
import { callText, createTestUpstreams, toConfig } from '../../test/support/upstream-parts.ts';
import type { UpstreamConfig } from './upstream.ts';

describe('the set of upstreams', () => {
  it('leaves what did not change running, replaces what did, and forgets what is gone', async () => {
    const { upstreams, manifests } = createTestUpstreams();
    const configs = ['same', 'changed', 'removed'].map((name) =>
      toConfig(name, 'echo-server.mjs', ['--name', name]),
    );
    const [same, changed] = configs as [UpstreamConfig, UpstreamConfig];
    await upstreams.apply(configs);
    await Promise.all(upstreams.all.map(({ firstContact }) => firstContact));
    const pid = await callText(upstreams.get(same.id), 'pid');
    const before = upstreams.get(same.id);
    let told = 0;
    upstreams.onManifests(() => {
      told += 1;
    });

    await upstreams.apply([same, { ...changed, options: { ...changed.options, env: { X: '1' } } }]);
    expect(told).toBeGreaterThan(0);
    expect(upstreams.all.map(({ config }) => config.id)).toEqual(['same', 'changed']);
    expect(upstreams.get(same.id)).toBe(before);
    expect(await callText(upstreams.get(same.id), 'pid')).toBe(pid);
    await upstreams.get(changed.id)?.firstContact;
    expect(await callText(upstreams.get(changed.id), 'env')).toContain('X');
    // The one that is gone, and the one that changed as it was before.
    await expect.poll(() => new Set(manifests.removed).size).toBe(2);
    await upstreams[Symbol.asyncDispose]();
  });

  it('keeps what was seen of a server that only lacks a value, and of one that another comes to as well', async () => {
    let isGiven = true;
    const { upstreams } = createTestUpstreams({
      resolve: (options) =>
        isGiven ? { ok: true, options: { ...options, env: { T: '1' } } } : { ok: false, missing: ['T'] },
    });
    const [one, two] = ['one', 'two'].map((name) => toConfig(name, 'echo-server.mjs', ['--legacy']));
    await upstreams.apply([one, two] as UpstreamConfig[]);
    await Promise.all(upstreams.all.map(({ firstContact }) => firstContact));
    await upstreams.apply([two] as UpstreamConfig[]);
    isGiven = false;
    await upstreams.apply([{ ...two, tags: ['x'] }] as UpstreamConfig[]);
    isGiven = true;
    await upstreams.apply([two] as UpstreamConfig[]);
    expect(upstreams.all[0]?.manifest?.lists.tool.length).toBeGreaterThan(0);
    await upstreams[Symbol.asyncDispose]();
  });

  it('says what is missing or switched off instead of starting it', async () => {
    const { upstreams } = createTestUpstreams({ resolve: () => ({ ok: false, missing: ['TOKEN'] }) });
    const off = toConfig('off', 'echo-server.mjs', [], { enabled: false });
    await upstreams.apply([toConfig('lacking', 'echo-server.mjs'), off]);
    expect(upstreams.all.map(({ state }) => state)).toEqual([
      { is: 'awaiting_config', missing: 'TOKEN' },
      { is: 'disabled' },
    ]);
    for (const upstream of upstreams.all)
      await expect(callText(upstream, 'echo')).rejects.toMatchObject({ code: 'UPSTREAM_DISABLED' });
    await upstreams[Symbol.asyncDispose]();
  });

  it('hides what references stood for from all that is said of a server', async () => {
    const values = ['CANARY-4711'];
    const { upstreams, events } = createTestUpstreams({
      resolve: (options) => ({ ok: true, options, values }),
    });
    const code = 'console.error("cannot use", process.argv[1]); process.exit(7)';
    const options = { command: process.execPath, args: ['-e', code, `key=${values[0]}`] };
    await upstreams.apply([toConfig('loud', '', [], { options })]);
    const [upstream] = upstreams.all;
    await upstream?.firstContact;
    const status = await upstream?.status();
    expect(status?.stderr).toContain('cannot use key=(hidden)');
    expect(JSON.stringify([status, events])).not.toContain('CANARY');
    await upstreams[Symbol.asyncDispose]();
  });

  it('learns 48 good ones although two bad ones stand in front of them', async () => {
    const { upstreams } = createTestUpstreams();
    const bad = [
      toConfig('hangs', 'never-answers.mjs', [], { startTimeoutMs: 1_500 }),
      toConfig('dies', 'exits-at-once.mjs'),
    ];
    const good = Array.from({ length: 48 }, (_, at) =>
      toConfig(`good-${at}`, 'echo-server.mjs', ['--legacy']),
    );
    await upstreams.apply([...bad, ...good]);
    await Promise.all(upstreams.all.map(({ firstContact }) => firstContact));
    const states = upstreams.all.map(({ state }) => state.is);
    expect(states.filter((state) => state === 'online')).toHaveLength(48);
    expect(upstreams.all.filter(({ manifest }) => manifest !== undefined)).toHaveLength(48);
    await upstreams[Symbol.asyncDispose]();
  });

  it('applies a configuration before anything hangs it up', async () => {
    const { upstreams } = createTestUpstreams({ clock: createFastClock(20) });
    const hangs = toConfig('hangs', 'never-answers.mjs', ['--stubborn'], { startTimeoutMs: 60_000 });
    await upstreams.apply([hangs]);
    expect(upstreams.get(hangs.id)?.manifest).toBeUndefined();
    await upstreams.apply([]);
    expect(upstreams.all).toEqual([]);
    await upstreams[Symbol.asyncDispose]();
  });

  it('starts one program for two servers that come to the same, and keeps it while either is left', async () => {
    const { upstreams, manifests, events } = createTestUpstreams();
    const [a, b, other] = [
      toConfig('a', 'echo-server.mjs', [], { tags: ['work'] }),
      toConfig('b', 'echo-server.mjs'),
      toConfig('c', 'echo-server.mjs', ['--name', 'c']),
    ] as const;
    await upstreams.apply([a, b, other]);
    await Promise.all(upstreams.all.map(({ firstContact }) => firstContact));
    const pidOf = ({ id }: UpstreamConfig) => callText(upstreams.get(id), 'pid');
    const [pid, same, another] = await Promise.all([pidOf(a), pidOf(b), pidOf(other)]);
    expect(same).toBe(pid);
    expect(another).not.toBe(pid);
    expect(upstreams.get(a.id)?.config.tags).toEqual(['work']);
    const told = events.flatMap((event) => (event.type === 'upstream.state' ? [event] : []));
    for (const id of ['a', 'b']) expect(told).toContainEqual(expect.objectContaining({ upstream: id }));

    await upstreams.apply([{ ...b, tags: ['new'] }, other]);
    expect(await pidOf(b)).toBe(pid);
    expect(manifests.removed).toEqual([]);
    await expect(callText(upstreams.get(b.id), 'exit')).rejects.toMatchObject({
      message: expect.stringMatching(/^b: exited with code 3/),
      data: { upstream: 'b' },
    });
    await upstreams.apply([other]);
    await expect.poll(() => manifests.removed).toHaveLength(1);
    await upstreams[Symbol.asyncDispose]();
  });

  it('does not share between servers with other limits', async () => {
    const { upstreams } = createTestUpstreams();
    await upstreams.apply([
      toConfig('a', 'echo-server.mjs', []),
      toConfig('b', 'echo-server.mjs', [], { limits: { maxInFlight: 1 } }),
    ]);
    const pids = await Promise.all(upstreams.all.map((upstream) => callText(upstream, 'pid')));
    expect(new Set(pids).size).toBe(2);
    await upstreams[Symbol.asyncDispose]();
  });

  it('runs no more programs than it may: whoever idles longest makes room', async () => {
    const { upstreams } = createTestUpstreams({ maxProcesses: 2 });
    const configs = ['a', 'b', 'c', 'd'].map((name) => toConfig(name, 'echo-server.mjs', ['--name', name]));
    await upstreams.apply(configs);
    await Promise.all(upstreams.all.map(({ firstContact }) => firstContact));
    for (const upstream of [...upstreams.all, ...upstreams.all]) {
      expect(await callText(upstream, 'echo', { text: upstream.config.name })).toBe(upstream.config.name);
      const running = upstreams.all.filter(({ state }) => state.is === 'online');
      expect(running.length).toBeLessThanOrEqual(2);
      expect(running).toContain(upstream);
    }
    await upstreams[Symbol.asyncDispose]();
  });
});

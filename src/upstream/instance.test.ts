import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCall } from '../../test/support/contexts.ts';
import { createFastClock } from '../../test/support/fake-clock.ts';
import { callText, createTestUpstreams, toConfig } from '../../test/support/upstream-parts.ts';

const scratch = () => mkdtempSync(join(tmpdir(), 'thimble-'));
const linesOf = (path: string) => readFileSync(path, 'utf8').trim().split('\n');

describe('an upstream under supervision', () => {
  it('is contacted when nothing is known of it, and its manifest is kept', async () => {
    const { upstreams, manifests, events } = createTestUpstreams();
    await upstreams.apply([toConfig('echo', 'echo-server.mjs', ['--tools', '25', '--page', '7'])]);
    const [echo] = upstreams.all;
    await echo?.firstContact;
    expect(echo?.state.is).toBe('online');
    expect(echo?.manifest?.lists.tool).toHaveLength(35);
    expect(echo?.manifest?.lists.resource).toHaveLength(1);
    expect(echo?.manifest?.lists.template).toHaveLength(1);
    expect(echo?.manifest?.lists.prompt).toHaveLength(1);
    expect(manifests.saves).toEqual(['echo']);
    expect(events).toContainEqual({ type: 'upstream.manifest', upstream: 'echo', tools: 35, changed: true });
    await upstreams[Symbol.asyncDispose]();
  });

  it('is not started while its manifest is stored, then once for all who call', async () => {
    const starts = join(scratch(), 'starts');
    const config = toConfig('echo', 'echo-server.mjs', ['--starts', starts]);
    const first = createTestUpstreams();
    await first.upstreams.apply([config]);
    await first.upstreams.all[0]?.firstContact;
    await first.upstreams[Symbol.asyncDispose]();
    expect(linesOf(starts)).toHaveLength(1);

    const { upstreams, manifests } = createTestUpstreams({}, first.manifests);
    await upstreams.apply([config]);
    const echo = upstreams.get(config.id);
    expect(echo?.state).toEqual({ is: 'idle' });
    expect(echo?.manifest?.lists.tool).toHaveLength(10);
    const texts = await Promise.all(
      Array.from({ length: 20 }, (_, at) => callText(echo, 'echo', { text: `${at}` })),
    );
    expect(texts).toEqual(Array.from({ length: 20 }, (_, at) => `${at}`));
    await upstreams[Symbol.asyncDispose]();
    expect(linesOf(starts)).toHaveLength(2);
    expect(manifests.saves).toEqual(['echo']);
  });

  it('comes back for the next call after it was killed', async () => {
    const { upstreams } = createTestUpstreams();
    await upstreams.apply([toConfig('echo', 'echo-server.mjs')]);
    const [echo] = upstreams.all;
    await echo?.firstContact;
    const pid = Number(await callText(echo, 'pid'));
    process.kill(pid, 'SIGKILL');
    const started = performance.now();
    const next = await callText(echo, 'pid').catch(() => callText(echo, 'pid'));
    expect(Number(next)).not.toBe(pid);
    // Sooner than one that is taken for broken would be tried again.
    expect(performance.now() - started).toBeLessThan(30_000);
    await upstreams[Symbol.asyncDispose]();
  });

  it('never has a call sent twice that may have reached it', async () => {
    const log = join(scratch(), 'calls');
    const { upstreams } = createTestUpstreams();
    await upstreams.apply([toConfig('crash', 'crash-on-call.mjs', ['--log', log])]);
    const [crash] = upstreams.all;
    await crash?.firstContact;
    await expect(callText(crash, 'crash')).rejects.toMatchObject({
      code: 'UPSTREAM_EXITED',
      message: 'crash: was ended by SIGKILL',
    });
    expect(linesOf(log)).toEqual(['called']);
    await upstreams[Symbol.asyncDispose]();
  });

  it.each(['legacy', 'modern'])(
    'has its lists read again, once for a storm of notices, in the %s era',
    async (era) => {
      const { upstreams, manifests } = createTestUpstreams();
      await upstreams.apply([toConfig('changing', 'changing.mjs', [`--${era}`])]);
      const [changing] = upstreams.all;
      await changing?.firstContact;
      const changed = new Promise<void>((resolve) => upstreams.onManifests(resolve));
      await callText(changing, 'grow', { notices: 100 });
      await changed;
      expect(changing?.manifest?.lists.tool.map(({ name }) => name)).toEqual(['grow', 'grown-1']);
      expect(Number(await callText(changing, 'reads'))).toBe(2);
      expect(manifests.saves).toEqual(['changing', 'changing']);
      await upstreams[Symbol.asyncDispose]();
    },
  );

  it('that cannot start says why in its state and to its callers', async () => {
    const { upstreams } = createTestUpstreams();
    await upstreams.apply([toConfig('bad', 'exits-at-once.mjs')]);
    const [bad] = upstreams.all;
    await bad?.firstContact;
    expect(bad?.state).toMatchObject({
      is: 'offline',
      reason: expect.stringContaining('no licence key was given'),
    });
    await expect(callText(bad, 'x')).rejects.toMatchObject({
      message: expect.stringContaining('no licence key'),
    });
    expect(bad?.notes().stderr).toContain('no licence key was given');
    await upstreams[Symbol.asyncDispose]();
  });

  it('is ended when nobody used it for long, and started again by the next call', async () => {
    const clock = createFastClock(1_000);
    const { upstreams } = createTestUpstreams({ clock });
    const more = { startTimeoutMs: 60_000_000, timeoutMs: 60_000_000, limits: { idleStopMs: 600_000 } };
    await upstreams.apply([toConfig('echo', 'echo-server.mjs', [], more)]);
    const [echo] = upstreams.all;
    await echo?.firstContact;
    const pid = await callText(echo, 'pid');
    const call = createCall();
    const params = { name: 'slow', arguments: { wait: true } };
    const slow = echo?.request('tools/call', params, call).catch((error: unknown) => error);
    const later = clock.now() + 1_500_000;
    await expect.poll(() => clock.now()).toBeGreaterThan(later);
    expect(echo?.state.is).toBe('online');
    call.cancel();
    await slow;
    await expect.poll(() => echo?.state.is).toBe('idle');
    expect(await callText(echo, 'pid')).not.toBe(pid);
    expect((await echo?.status())?.restarts).toBe(0);
    await upstreams[Symbol.asyncDispose]();
  });

  it('tells how it is, and is restarted on demand', async () => {
    const { upstreams } = createTestUpstreams();
    await upstreams.apply([toConfig('echo', 'echo-server.mjs')]);
    const [echo] = upstreams.all;
    await echo?.firstContact;
    const pid = Number(await callText(echo, 'pid'));
    await callText(echo, 'exit').catch(() => {});
    await callText(echo, 'echo', { text: 'x' });
    const status = await echo?.status();
    expect(status).toMatchObject({
      state: { is: 'online' },
      says: 'is running',
      calls: 3,
      running: 0,
      queued: 0,
      restarts: 1,
      lastError: { message: expect.stringContaining('exited with code 3') },
      stderr: ['leaving as I was told'],
      scopes: 0,
    });
    expect(status?.pid).not.toBe(pid);
    expect(status?.uptimeMs).toBeGreaterThan(0);
    expect(status?.memoryBytes).toBeGreaterThan(10_000_000);
    await echo?.restart('a person asked');
    expect((await echo?.status())?.pid).not.toBe(status?.pid);
    await upstreams[Symbol.asyncDispose]();
  });

  it('that a person restarts is none with an error', async () => {
    const { upstreams } = createTestUpstreams();
    await upstreams.apply([toConfig('echo', 'echo-server.mjs')]);
    const [echo] = upstreams.all;
    await echo?.firstContact;
    await echo?.restart('a person asked');
    expect(await echo?.status()).toMatchObject({ restarts: 1, lastError: undefined });
    await upstreams[Symbol.asyncDispose]();
  });

  it('tells the calls that run over its link why that was ended', async () => {
    const { upstreams } = createTestUpstreams();
    await upstreams.apply([toConfig('echo', 'echo-server.mjs')]);
    const [echo] = upstreams.all;
    await echo?.firstContact;
    const running = callText(echo, 'slow', { wait: true });
    const lost = expect(running).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      message: expect.stringMatching(
        /^echo: was restarted \(a person asked\) while .* it can be called again$/,
      ),
    });
    await callText(echo, 'pid');
    await echo?.restart('a person asked');
    await lost;
    expect(await callText(echo, 'echo', { text: 'again' })).toBe('again');
    await upstreams[Symbol.asyncDispose]();
  });

  it('is ended and started again with a reason when it takes more memory than it may', async () => {
    const { upstreams, events } = createTestUpstreams({ clock: createFastClock(20) });
    const slow = { startTimeoutMs: 1_200_000, timeoutMs: 1_200_000 };
    const more = { ...slow, limits: { memoryLimitBytes: 1_000_000 } };
    await upstreams.apply([toConfig('echo', 'echo-server.mjs', [], more)]);
    await upstreams.all[0]?.firstContact;
    await expect
      .poll(() => events)
      .toContainEqual({
        type: 'upstream.state',
        upstream: 'echo',
        state: 'restarting',
        detail: expect.stringMatching(/^echo: was ended, since it took \d+ MB, over its limit of 1 MB$/),
      });
    await upstreams[Symbol.asyncDispose]();
  });

  it('gives one tool longer than the others', async () => {
    const { upstreams } = createTestUpstreams();
    const more = { timeoutMs: 20_000, limits: { toolTimeoutsMs: { slow: 200 } } };
    await upstreams.apply([toConfig('echo', 'echo-server.mjs', [], more)]);
    const [echo] = upstreams.all;
    await echo?.firstContact;
    await expect(callText(echo, 'slow', { wait: true })).rejects.toMatchObject({
      code: 'UPSTREAM_TIMEOUT',
      data: { timeoutMs: 200, upstream: 'echo' },
    });
    await expect.poll(() => callText(echo, 'cancellations')).toBe('1');
    await upstreams[Symbol.asyncDispose]();
  });

  it('starts a program that ended at every greeting only once at the next attempt', async () => {
    const { upstreams, events } = createTestUpstreams();
    const starts = join(scratch(), 'starts');
    await upstreams.apply([toConfig('bad', 'counted-exit.mjs', ['--starts', starts])]);
    const attempts = () =>
      events.filter((event) => event.type === 'upstream.state' && event.state === 'connecting').length;
    await expect.poll(attempts).toBeGreaterThanOrEqual(3);
    await upstreams[Symbol.asyncDispose]();
    expect(linesOf(starts).length).toBeLessThanOrEqual(attempts() + 1);
  });

  it.each(['legacy', 'modern'])(
    'is watched until the last one has stopped, over a restart too, in the %s era',
    async (era) => {
      const { upstreams } = createTestUpstreams();
      await upstreams.apply([toConfig('all', 'everything/stdio.mjs', [`--${era}`])]);
      const [all] = upstreams.all;
      const updated: unknown[] = [];
      upstreams.onNotification((_upstream, method, { uri }) => {
        if (method === 'notifications/resources/updated') updated.push(uri);
      });
      const watch = () => all?.watch('test://watched-resource', createCall());
      const isTold = async () => {
        const before = updated.length;
        await callText(all, 'test_touch_watched_resource');
        return updated.length > before;
      };
      const [stopFirst, stopSecond] = await Promise.all([watch(), watch()]);
      await expect.poll(isTold).toBe(true);
      stopFirst?.();
      stopFirst?.();
      expect(await isTold()).toBe(true);
      await all?.restart('a person asked');
      await expect.poll(isTold).toBe(true);
      stopSecond?.();
      await expect.poll(isTold).toBe(false);
      await upstreams[Symbol.asyncDispose]();
    },
  );
});

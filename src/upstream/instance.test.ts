import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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
    expect(performance.now() - started).toBeLessThan(5_000);
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
});

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createTestUpstreams, toConfig } from '../../test/support/upstream-parts.ts';
import { toInstanceKey } from './instance-key.ts';
import { FIRST_CONTACT_WAIT_MS } from './limits.ts';

const SILENT = toConfig('silent', 'never-answers.mjs');
const KEY = toInstanceKey(SILENT.kind, SILENT.options);

describe('the first contact with a server', () => {
  it('is waited for by every process that starts while another has it', async () => {
    const first = createTestUpstreams();
    const second = createTestUpstreams({}, first.manifests);
    const config = toConfig('echo', 'echo-server.mjs');
    await first.upstreams.apply([config]);
    await second.upstreams.apply([config]);
    for (const { upstreams } of [first, second]) {
      await upstreams.all[0]?.firstContact;
      expect(upstreams.all[0]?.manifest?.lists.tool).toHaveLength(10);
      await upstreams[Symbol.asyncDispose]();
    }
  });

  it('is not waited for again once it was waited for in vain', async () => {
    const clock = createFakeClock();
    const { upstreams, manifests } = createTestUpstreams({ clock });
    await upstreams.apply([SILENT]);
    await clock.advance(FIRST_CONTACT_WAIT_MS - 1);
    expect(await manifests.load(KEY)).toBeUndefined();
    await clock.advance(1);
    expect(await manifests.load(KEY)).toEqual({ manifest: undefined });
    await upstreams[Symbol.asyncDispose]();
  });

  it('is not waited for again once it has failed', async () => {
    const config = toConfig('dies', 'exits-at-once.mjs');
    const { upstreams, manifests } = createTestUpstreams();
    await upstreams.apply([config]);
    await upstreams.all[0]?.firstContact;
    const key = toInstanceKey(config.kind, config.options);
    await expect.poll(() => manifests.load(key)).toEqual({ manifest: undefined });
    await upstreams[Symbol.asyncDispose]();
  });

  it('is left to another process that comes to know the server soon after', async () => {
    const starts = join(mkdtempSync(join(tmpdir(), 'thimble-')), 'starts');
    const config = toConfig('echo', 'echo-server.mjs', ['--starts', starts]);
    const key = toInstanceKey(config.kind, config.options);
    const clock = createFakeClock();
    const first = createTestUpstreams();
    await first.manifests.saveAttempt(key, config.id);
    const { upstreams, events } = createTestUpstreams({ clock }, first.manifests);
    await upstreams.apply([config]);
    await clock.advance(FIRST_CONTACT_WAIT_MS);
    expect(upstreams.all[0]?.manifest).toBeUndefined();
    await first.manifests.remove(key);
    await first.upstreams.apply([config]);
    await first.upstreams.all[0]?.firstContact;
    await clock.advance(FIRST_CONTACT_WAIT_MS);
    expect(upstreams.all[0]?.manifest?.lists.tool).toHaveLength(10);
    expect(events).toContainEqual({ type: 'upstream.manifest', upstream: 'echo', tools: 10, changed: true });
    await clock.advance(60_000);
    expect(upstreams.all[0]?.state.is).toBe('idle');
    expect(readFileSync(starts, 'utf8').trim().split('\n')).toHaveLength(1);
    for (const each of [upstreams, first.upstreams]) await each[Symbol.asyncDispose]();
  });

  it('is waited for again when it was broken off before its time was up', async () => {
    const { upstreams, manifests } = createTestUpstreams({ clock: createFakeClock() });
    await upstreams.apply([SILENT]);
    await upstreams[Symbol.asyncDispose]();
    expect(await manifests.load(KEY)).toBeUndefined();
  });
});

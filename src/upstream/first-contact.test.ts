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

  it('is waited for again when it was broken off before its time was up', async () => {
    const { upstreams, manifests } = createTestUpstreams({ clock: createFakeClock() });
    await upstreams.apply([SILENT]);
    await upstreams[Symbol.asyncDispose]();
    expect(await manifests.load(KEY)).toBeUndefined();
  });
});

import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Clock } from '../lib/clock.ts';
import type { Config } from './config.ts';
import { readConfig } from './load.ts';
import { createReload } from './reload.ts';
import { TEST_PARTS } from './test-parts.ts';
import { watchConfig } from './watch.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thimble-watch-'));
  path = join(folder, 'thimble.jsonc');
  await writeFile(path, '{}');
  return () => rm(folder, { recursive: true, force: true });
});

/** A clock whose timers fire only when told. */
function createTestClock() {
  const timers = new Map<symbol, { delayMs: number; run: () => void }>();
  const clock: Clock = {
    now: () => 0,
    after(delayMs, run) {
      const key = Symbol('timer');
      timers.set(key, { delayMs, run });
      return () => timers.delete(key);
    },
  };
  const fire = () => {
    const due = [...timers.values()];
    timers.clear();
    for (const { run } of due) run();
  };
  return { clock, timers, fire };
}

function watching(target = path) {
  const onChange = vi.fn();
  const { clock, timers, fire } = createTestClock();
  const close = watchConfig(target, onChange, clock);
  onTestFinished(close);
  return { onChange, timers, fire, close };
}

describe('watchConfig', () => {
  it('calls back once for a burst of edits, after a short quiet', async () => {
    const { onChange, timers, fire } = watching();
    await writeFile(path, '{ ');
    await writeFile(path, '{ }');
    await expect.poll(() => timers.size).toBe(1);
    expect([...timers.values()][0]?.delayMs).toBe(100);
    expect(onChange).not.toHaveBeenCalled();
    fire();
    expect(onChange).toHaveBeenCalledTimes(1);
  });

  it('notices every replacement by renaming, as editors save', async () => {
    const { onChange, timers, fire } = watching();
    for (let round = 1; round <= 3; round++) {
      await writeFile(join(folder, 'new'), `{ "round": ${round} }`);
      await rename(join(folder, 'new'), path);
      await expect.poll(() => timers.size).toBe(1);
      fire();
      expect(onChange).toHaveBeenCalledTimes(round);
    }
  });

  it('ignores other files of the folder', async () => {
    const { timers } = watching();
    await writeFile(join(folder, 'other'), 'x');
    const witness = watching(join(folder, 'witness'));
    await writeFile(join(folder, 'witness'), 'x');
    await expect.poll(() => witness.timers.size).toBe(1);
    expect(timers.size).toBe(0);
  });

  it('notices edits of the file a link leads to', async () => {
    const other = await mkdtemp(join(tmpdir(), 'thimble-link-'));
    onTestFinished(() => rm(other, { recursive: true, force: true }));
    await symlink(path, join(other, 'link.jsonc'));
    const { timers } = watching(join(other, 'link.jsonc'));
    await writeFile(path, '{ }');
    await expect.poll(() => timers.size).toBe(1);
  });

  it('is silent once closed', async () => {
    const { onChange, timers, close, fire } = watching();
    await writeFile(path, '{ }');
    await expect.poll(() => timers.size).toBe(1);
    close();
    fire();
    expect(onChange).not.toHaveBeenCalled();
  });
});

describe('createReload', () => {
  async function createTrial() {
    const seen: Config[] = [];
    const rejected: string[] = [];
    const read = () => readConfig(path, TEST_PARTS);
    const reload = createReload(await read(), {
      read,
      onConfig: (config) => void seen.push(config),
      onRejected: (reason) => void rejected.push(reason),
    });
    return { seen, rejected, reload };
  }

  it('hands on a changed configuration', async () => {
    const { seen, rejected, reload } = await createTrial();
    await writeFile(path, '{ "namespace": "crow" }');
    await reload();
    expect(seen).toMatchObject([{ namespace: 'crow' }]);
    expect(rejected).toEqual([]);
  });

  it('says nothing when only the spelling changed', async () => {
    const { seen, reload } = await createTrial();
    await writeFile(path, '{ /* nothing */ }');
    await reload();
    expect(seen).toEqual([]);
  });

  it.each(['{ "namespace": "cr', '', '{ "nmespace": "x" }'])(
    'keeps the last good one when the file is %j',
    async (bad) => {
      const { seen, rejected, reload } = await createTrial();
      await writeFile(path, bad);
      await reload();
      expect(seen).toEqual([]);
      // Nothing but the faults: whoever tells them says what they mean.
      expect(rejected).toEqual([expect.stringMatching(/^\S+\/thimble\.jsonc:1:\d+ /)]);
      await writeFile(path, '{ "namespace": "crow" }');
      await reload();
      expect(seen).toMatchObject([{ namespace: 'crow' }]);
    },
  );

  it('keeps the last good one when the file is gone', async () => {
    const { rejected, reload } = await createTrial();
    await rm(path);
    await reload();
    expect(rejected).toEqual([`the configuration file ${path} does not exist; put it back`]);
  });
});

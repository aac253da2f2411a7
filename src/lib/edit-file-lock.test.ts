import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeLock, takeLock } from './edit-file-lock.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thimble-lock-'));
  path = join(folder, 'file.lock');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Puts a lock there as another process would. */
async function leaveLock(seconds: number): Promise<void> {
  await rm(path, { force: true });
  await writeFile(path, '');
  await utimes(path, seconds, seconds);
}

describe('the lock beside a file', () => {
  it('is gone when it was given back, and nothing is left beside it', async () => {
    const unlock = await takeLock(path);
    expect(await readdir(folder)).toEqual(['file.lock']);
    await unlock();
    expect(await readdir(folder)).toEqual([]);
  });

  it('is had by one at a time, of however many want it', async () => {
    let holders = 0;
    let most = 0;
    const hold = async () => {
      const unlock = await takeLock(path);
      holders += 1;
      most = Math.max(most, holders);
      await stat(path);
      holders -= 1;
      await unlock();
    };
    await leaveLock(1);
    await Promise.all(Array.from({ length: 10 }, hold));
    expect(most).toBe(1);
  });

  it('is left alone by who found an older one left behind', async () => {
    await leaveLock(1);
    const seen = await stat(path);
    await leaveLock(1_000);
    await removeLock(path, seen);
    expect(await readdir(folder)).toEqual(['file.lock']);
    await removeLock(path, await stat(path));
    expect(await readdir(folder)).toEqual([]);
  });

  it('is left alone by an owner that slept so long that another took it over', async () => {
    const unlock = await takeLock(path);
    await leaveLock(Date.now() / 1_000 + 20);
    await unlock();
    expect(await readdir(folder)).toEqual(['file.lock']);
  });
});

import { mkdir, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeLock } from './edit-file-lock.ts';

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thimble-lock-'));
  path = join(folder, 'file.lock');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Makes the lock that is held look as if its owner had been gone for long. */
async function makeOld(): Promise<void> {
  for (const name of await readdir(path)) await utimes(join(path, name), 1, 1);
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
    await Promise.all(Array.from({ length: 10 }, hold));
    expect(most).toBe(1);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is left alone by an owner that slept so long that another took it over', async () => {
    const unlockLate = await takeLock(path);
    await makeOld();
    const unlock = await takeLock(path);
    const held = await readdir(path);
    await unlockLate();
    expect(await readdir(path)).toEqual(held);
    await unlock();
    expect(await readdir(folder)).toEqual([]);
  });

  it('is free when its owner ended while giving it back', async () => {
    await mkdir(path);
    await (await takeLock(path))();
    expect(await readdir(folder)).toEqual([]);
  });

  it('is not looked for where a link in its place leads', async () => {
    const elsewhere = join(folder, 'elsewhere');
    await mkdir(elsewhere);
    const old = join(elsewhere, 'a'.repeat(24));
    await writeFile(old, 'of somebody');
    await utimes(old, 1, 1);
    await symlink(elsewhere, path);
    const waiting = takeLock(path);
    await rm(path);
    await (await waiting)();
    expect(await readdir(folder)).toEqual(['elsewhere']);
    expect(await readdir(elsewhere)).toEqual(['a'.repeat(24)]);
  });

  it('is refused where a folder of others has its place, and that is left as it is', async () => {
    await mkdir(path);
    await writeFile(join(path, 'theirs'), '');
    await utimes(join(path, 'theirs'), 1, 1);
    await expect(takeLock(path)).rejects.toMatchObject({ code: 'ENOTEMPTY' });
    expect(await readdir(path)).toEqual(['theirs']);
  });
});

import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { editFile, readText } from './edit-file.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thimble-edit-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('editing a file', () => {
  it('makes it, and the folders it needs, readable by its owner alone', async () => {
    const path = join(folder, 'a/b/new.json');
    expect(await editFile(path, (before) => `${before ?? 'was'} new`)).toEqual({
      path,
      before: undefined,
      after: 'was new',
    });
    expect(await readText(path)).toBe('was new');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('keeps the rights a file has', async () => {
    const path = join(folder, 'rights');
    await writeFile(path, 'x');
    await chmod(path, 0o664);
    await editFile(path, () => 'y');
    expect((await stat(path)).mode & 0o777).toBe(0o664);
  });

  it('writes through a link and leaves it a link', async () => {
    const target = join(folder, 'target');
    await writeFile(target, 'old');
    await symlink(target, join(folder, 'link'));
    await editFile(join(folder, 'link'), () => 'new');
    expect(await readFile(target, 'utf8')).toBe('new');
    expect(
      (await readdir(folder, { withFileTypes: true })).find(({ name }) => name === 'link')?.isSymbolicLink(),
    ).toBe(true);
  });

  it('writes nothing when nothing changes', async () => {
    const path = join(folder, 'same');
    await writeFile(path, 'same');
    await utimes(path, 1, 1);
    await editFile(path, (before) => before ?? '');
    expect((await stat(path)).mtimeMs).toBe(1_000);
  });

  it('leaves the file alone, and nothing beside it, when the change cannot be made', async () => {
    await mkdir(join(folder, 'alone'));
    const path = join(folder, 'alone/file');
    await writeFile(path, 'kept');
    const failing = editFile(path, () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await readFile(path, 'utf8')).toBe('kept');
    expect(await readdir(join(folder, 'alone'))).toEqual(['file']);
  });

  it('loses none of many edits made at once', async () => {
    const path = join(folder, 'many');
    await Promise.all(
      Array.from({ length: 50 }, (_, at) => editFile(path, (before = '') => `${before}${at}\n`)),
    );
    const lines = (await readFile(path, 'utf8')).trim().split('\n').map(Number);
    expect(lines.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, at) => at));
  });

  it('does not wait for a lock that somebody left behind', async () => {
    const path = join(folder, 'stale');
    await writeFile(`${path}.lock`, '');
    await utimes(`${path}.lock`, 1, 1);
    await editFile(path, () => 'done');
    expect(await readText(path)).toBe('done');
  });

  it('says of a missing file that there is none', async () => {
    expect(await readText(join(folder, 'nowhere'))).toBeUndefined();
    await writeFile(join(folder, 'plain'), '');
    expect(await readText(join(folder, 'plain/below'))).toBeUndefined();
  });
});

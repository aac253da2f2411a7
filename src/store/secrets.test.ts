import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from './open.ts';
import { openSecrets, SECRET_NAME, toSecretReference } from './secrets.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thimble-secrets-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('kept values', () => {
  it('come back by name, replaced when they are saved again', async () => {
    await using store = await openStore(join(folder, 'a.db'));
    const secrets = openSecrets(store);
    await secrets.save('B', 'two');
    await secrets.save('A', 'one');
    await secrets.save('B', 'three');
    expect(await secrets.names()).toEqual(['A', 'B']);
    expect(Object.fromEntries(await secrets.all())).toEqual({ A: 'one', B: 'three' });
    await secrets.remove('A');
    expect(await secrets.names()).toEqual(['B']);
  });

  it('cannot be read in the file', async () => {
    const path = join(folder, 'b.db');
    {
      await using store = await openStore(path);
      await openSecrets(store).save('TOKEN', 'a-very-secret-value');
    }
    expect((await readFile(path)).includes('a-very-secret-value')).toBe(false);
  });

  it('are left out when another key is used', async () => {
    const path = join(folder, 'c.db');
    {
      await using store = await openStore(path, { key: 'k'.repeat(43) });
      await openSecrets(store).save('TOKEN', 'x');
    }
    await using store = await openStore(path, { key: 'o'.repeat(43) });
    expect(await openSecrets(store).names()).toEqual(['TOKEN']);
    expect((await openSecrets(store).all()).size).toBe(0);
  });

  it('ask for their key when it is gone, and neither reading nor writing makes another', async () => {
    const home = join(folder, 'lost');
    await mkdir(home);
    const path = join(home, 'd.db');
    const key = join(home, 'secret.key');
    {
      await using store = await openStore(path);
      await openSecrets(store).save('A', 'one');
      await openSecrets(store).save('B', 'two');
    }
    await rename(key, join(folder, 'kept-elsewhere'));
    await using store = await openStore(path);
    const secrets = openSecrets(store);
    expect((await secrets.all()).size).toBe(0);
    await expect(secrets.save('C', 'three')).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('secret.key is missing, but 2 sealed values need it; put it back'),
    });
    expect(await readdir(home)).not.toContain('secret.key');
    await rename(join(folder, 'kept-elsewhere'), key);
    await secrets.save('C', 'three');
    expect(Object.fromEntries(await secrets.all())).toEqual({ A: 'one', B: 'two', C: 'three' });
  });

  it('get a new key once nothing needs the old one', async () => {
    const home = join(folder, 'anew');
    const path = join(home, 'e.db');
    {
      await using store = await openStore(path);
      await openSecrets(store).save('A', 'one');
    }
    await rm(join(home, 'secret.key'));
    await using store = await openStore(path);
    const secrets = openSecrets(store);
    await secrets.remove('A');
    await secrets.save('A', 'two');
    expect(Object.fromEntries(await secrets.all())).toEqual({ A: 'two' });
  });

  it('are referred to by names a configuration can hold', () => {
    expect(toSecretReference('github.TOKEN')).toBe('${' + 'secret:github.TOKEN}');
    expect('github.TOKEN').toMatch(SECRET_NAME);
    expect('a b').not.toMatch(SECRET_NAME);
  });
});

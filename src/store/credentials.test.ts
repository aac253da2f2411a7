import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readFolder } from '../../test/support/read-folder.ts';
import type { UpstreamId } from '../model/ids.ts';
import { createCipher } from './cipher.ts';
import { createMemoryStore } from './memory-store.ts';
import { openStore } from './open.ts';
import type { CredentialStore } from './store.ts';

const VAULT = 'vault' as UpstreamId;
const ISSUER = 'https://as.example';
const SECRET = { issuer: ISSUER, secret: { tokens: { access_token: 'CANARY-TOKEN' } } };
const KEY = Buffer.alloc(32, 7).toString('base64');

let folder: string;
const path = () => join(folder, 'thimble.db');

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  folder = await mkdtemp(join(tmpdir(), 'thimble-credentials-'));
});
afterEach(async () => {
  vi.useRealTimers();
  await rm(folder, { recursive: true, force: true });
});

async function inStore<T>(use: (credentials: CredentialStore) => Promise<T>, key?: string): Promise<T> {
  await using store = await openStore(path(), { key });
  return await use(store.credentials);
}

describe.each(['file', 'memory'])('credentials in a %s', (kind) => {
  const use = <T>(run: (credentials: CredentialStore) => Promise<T>) =>
    kind === 'file' ? inStore(run) : run(createMemoryStore().credentials);

  it('come back as they were, the newest first', () =>
    use(async (credentials) => {
      await credentials.save('k', VAULT, SECRET);
      vi.setSystemTime(Date.now() + 1);
      await credentials.save('k', VAULT, { ...SECRET, issuer: 'https://new.example' });
      expect(await credentials.load('other')).toEqual([]);
      expect((await credentials.load('k')).map(({ issuer }) => issuer)).toEqual([
        'https://new.example',
        ISSUER,
      ]);
      await credentials.save('k', VAULT, { issuer: ISSUER, secret: {} });
      expect(await credentials.load('k')).toHaveLength(2);
    }));

  it('are claimed by one at a time, until they are saved or released', () =>
    use(async (credentials) => {
      expect(await credentials.claim('k', ISSUER, 60_000)).toBe(false);
      await credentials.save('k', VAULT, SECRET);
      const claims = await Promise.all([1, 2, 3].map(() => credentials.claim('k', ISSUER, 60_000)));
      expect(claims.filter(Boolean)).toHaveLength(1);
      await credentials.save('k', VAULT, SECRET);
      expect(await credentials.claim('k', ISSUER, -1)).toBe(true);
      expect(await credentials.claim('k', ISSUER, 60_000)).toBe(true);
      await credentials.release('k', 'https://other.example');
      expect(await credentials.claim('k', ISSUER, 60_000)).toBe(false);
      await credentials.release('k', ISSUER);
      expect(await credentials.claim('k', ISSUER, 60_000)).toBe(true);
      expect(await credentials.load('k')).toEqual([SECRET]);
    }));

  it('are forgotten with their upstream', () =>
    use(async (credentials) => {
      await credentials.save('k', VAULT, SECRET);
      await credentials.save('l', VAULT, SECRET);
      await credentials.save('m', 'other' as UpstreamId, SECRET);
      await credentials.removeAll(VAULT);
      expect(await credentials.load('k')).toEqual([]);
      expect(await credentials.load('l')).toEqual([]);
      expect(await credentials.load('m')).toEqual([SECRET]);
    }));

  it('are forgotten with their instance, and kept for others that have it as well', () =>
    use(async (credentials) => {
      for (const key of ['k', 'l', 'm']) await credentials.save(key, VAULT, SECRET);
      await credentials.remove('k');
      await credentials.removeAll(VAULT, new Set(['m']));
      const loaded = await Promise.all(['k', 'l', 'm'].map((key) => credentials.load(key)));
      expect(loaded.map((found) => found.length)).toEqual([0, 0, 1]);
    }));
});

describe('credentials at rest', () => {
  it('cannot be read in any file, and come back after a restart', async () => {
    await inStore((credentials) => credentials.save('k', VAULT, SECRET));
    expect(await readFolder(folder)).not.toContain('CANARY-TOKEN');
    expect(await inStore((credentials) => credentials.load('k'))).toEqual([SECRET]);
  });

  it('are sealed with a key that only its owner reads, and that is made when it is needed', async () => {
    await inStore((credentials) => credentials.load('k'));
    expect(await readdir(folder)).not.toContain('secret.key');
    await Promise.all([1, 2].map((n) => inStore((credentials) => credentials.save(`k${n}`, VAULT, SECRET))));
    const file = join(folder, 'secret.key');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readdir(folder)).filter((name) => name.startsWith('secret'))).toEqual(['secret.key']);
    expect(await inStore((credentials) => credentials.load('k1'))).toEqual([SECRET]);
    await chmod(file, 0o644);
    await expect(inStore((credentials) => credentials.load('k1'))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('chmod 600'),
    });
  });

  it('are sealed with the key that is given, and with no other', async () => {
    await inStore((credentials) => credentials.save('k', VAULT, SECRET), KEY);
    expect(await readdir(folder)).not.toContain('secret.key');
    expect(await inStore((credentials) => credentials.load('k'), KEY)).toEqual([SECRET]);
    const hex = Buffer.alloc(32, 7).toString('hex');
    expect(await inStore((credentials) => credentials.load('k'), hex)).toEqual([SECRET]);
    expect(await inStore((credentials) => credentials.load('k'), KEY.replace('B', 'C'))).toEqual([]);
    await expect(inStore((credentials) => credentials.load('k'), 'password')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.not.stringContaining('password'),
    });
  });

  it('open only where they were put, and unaltered', async () => {
    const cipher = createCipher(async () => Buffer.alloc(32, 1));
    const sealed = await cipher.seal('text', 'here');
    expect(await cipher.open(sealed, 'here')).toBe('text');
    expect(await cipher.open(sealed, 'there')).toBeUndefined();
    for (const at of [4, sealed.length >> 1, sealed.length - 2]) {
      const other = sealed[at] === 'A' ? 'B' : 'A';
      const altered = `${sealed.slice(0, at)}${other}${sealed.slice(at + 1)}`;
      expect(await cipher.open(altered, 'here')).toBeUndefined();
    }
    expect(await cipher.open('v1.AAAA', 'here')).toBeUndefined();
    expect(await cipher.open('plain', 'here')).toBeUndefined();
    expect(await cipher.seal('text', 'here')).not.toBe(sealed);
  });
});

import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../store/memory-store.ts';
import { openShares, toTokenDigest } from './shares.ts';

const HOUR = 3_600_000;

function setUp() {
  let time = 1_000_000;
  const store = createMemoryStore();
  const shares = openShares(store, () => time);
  const start = (name: string, hours = 1) =>
    shares.start({ name, kind: 'server', target: 'github', expiresAt: time + hours * HOUR });
  const pass = (ms: number) => {
    time += ms;
  };
  return { shares, store, start, pass };
}

describe('the shares of a home', () => {
  it('are kept with a digest of their token, never with the token', async () => {
    const { shares, start } = setUp();
    const token = await start('work');
    const [share] = await shares.list();
    expect(share).toMatchObject({ name: 'work', kind: 'server', target: 'github', usedAt: undefined });
    expect(share?.digest).toBe(toTokenDigest(token));
    expect(JSON.stringify(share)).not.toContain(token);
    expect(token.length).toBeGreaterThan(40);
  });

  it('have tokens and ids of their own, even under the same name', async () => {
    const { shares, start } = setUp();
    const first = await start('work');
    const [before] = await shares.list();
    expect(await shares.stop('work')).toBe(true);
    const second = await start('work');
    const [after] = await shares.list();
    expect(second).not.toBe(first);
    expect(after?.id).not.toBe(before?.id);
  });

  it('have another id after a restart, and the same token', async () => {
    const { shares, start } = setUp();
    await start('work');
    const [before] = await shares.list();
    expect(await shares.restart('work')).toBe(true);
    const [after] = await shares.list();
    expect(after?.id).not.toBe(before?.id);
    expect(after?.digest).toBe(before?.digest);
    expect(await shares.restart('nobody')).toBe(false);
  });

  it('refuse a name that is in use, until it has expired', async () => {
    const { start, pass } = setUp();
    await start('work', 1);
    await expect(start('work')).rejects.toMatchObject({ code: 'NAME_TAKEN' });
    pass(HOUR);
    await expect(start('work')).resolves.toMatch(/^thimble_share_/);
  });

  it('are over when they are stopped or have expired', async () => {
    const { shares, start, pass } = setUp();
    await start('a', 1);
    await start('b', 2);
    expect(await shares.stop('nobody')).toBe(false);
    pass(HOUR);
    expect((await shares.list()).map(({ name }) => name)).toEqual(['b']);
    expect(await shares.stop('a')).toBe(false);
    expect(await shares.stop('b')).toBe(true);
    expect(await shares.list()).toEqual([]);
  });

  it('remember when they were last used', async () => {
    const { shares, start, pass } = setUp();
    await start('a');
    const [share] = await shares.list();
    pass(5_000);
    await shares.used(share?.id ?? '');
    expect((await shares.list())[0]?.usedAt).toBe(1_005_000);
  });
});

import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { carriesToken, openToken } from './token.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'thimble-token-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

describe('the local token', () => {
  it('is made once, and by one of many who ask at the same time', async () => {
    const tokens = await Promise.all(Array.from({ length: 10 }, () => openToken(home)));
    expect(new Set(tokens).size).toBe(1);
    expect((await stat(join(home, 'admin-token'))).mode & 0o777).toBe(0o600);
  });

  it('is made anew when its file holds something else', async () => {
    await writeFile(join(home, 'admin-token'), 'weak');
    expect(await openToken(home)).toMatch(/^tk_.{43}$/);
  });

  it('is carried by the header that holds it whole', () => {
    const token = `tk_${'b'.repeat(43)}`;
    expect(carriesToken(`Bearer ${token}`, token)).toBe(true);
    expect(carriesToken(`bearer ${token}`, token)).toBe(true);
    for (const header of [null, '', token, `Bearer ${token.slice(1)}`, `Bearer ${token} ${token}`])
      expect(carriesToken(header, token)).toBe(false);
  });
});

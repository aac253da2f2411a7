import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { saveBackup } from './backups.ts';

async function open() {
  const home = await mkdtemp(join(tmpdir(), 'thimble-backups-'));
  onTestFinished(() => rm(home, { recursive: true }));
  return { home, now: () => new Date('2026-11-16T12:00:00Z') };
}

it('keeps each copy, for its owner alone', async () => {
  const place = await open();
  const paths = ['one', 'two'].map((text) => saveBackup(place, 'a b/thimble.jsonc', text));
  expect(await Promise.all(paths.map((path) => readFile(path, 'utf8')))).toEqual(['one', 'two']);
  expect((await stat(paths[0] ?? '')).mode & 0o777).toBe(0o600);
});

it('lets the oldest of a file go, and nothing else', async () => {
  const place = await open();
  const first = saveBackup(place, 'thimble.jsonc', '0');
  const other = saveBackup(place, 'my-thimble.jsonc', 'another file');
  await writeFile(join(place.home, 'backups', 'mine-thimble.jsonc'), 'put there by hand');
  const later = (second: number) => new Date(place.now().getTime() + second * 1000);
  for (let at = 1; at <= 100; at++) saveBackup({ ...place, now: () => later(at) }, 'thimble.jsonc', `${at}`);
  const names = await readdir(join(place.home, 'backups'));
  expect(names).toHaveLength(102);
  expect(names.map((name) => join(place.home, 'backups', name))).not.toContain(first);
  expect(await readFile(other, 'utf8')).toBe('another file');
});

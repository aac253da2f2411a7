import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeFolder } from './make-folder.ts';

function createRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'thimble-folder-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

it('makes every level that is missing, and leaves what is there', () => {
  const path = join(createRoot(), 'a', 'b', 'c');
  makeFolder(path, 0o700);
  makeFolder(path, 0o700);
  expect(statSync(path).isDirectory()).toBe(true);
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o700);
});

it('says what is in the way', () => {
  const file = join(createRoot(), 'file');
  writeFileSync(file, '');
  expect(() => makeFolder(file)).toThrow(expect.objectContaining({ code: 'EEXIST' }));
  expect(() => makeFolder(join(file, 'a'))).toThrow(expect.objectContaining({ code: 'ENOTDIR' }));
});

// Only there does making a folder neither work nor say at once that it cannot.
it.skipIf(!existsSync('/proc/self'))('ends where the system makes no folders', () => {
  expect(() => makeFolder('/proc/nope')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
  expect(() => makeFolder('/proc/nope/a/b')).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});

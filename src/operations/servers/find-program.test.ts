import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findProgram } from './find-program.ts';

async function setUp() {
  const root = await mkdtemp(join(tmpdir(), 'thimble-programs-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await mkdir(join(root, 'bin', 'folder'), { recursive: true });
  const write = async (name: string, mode: number) => {
    await writeFile(join(root, name), '');
    await chmod(join(root, name), mode);
  };
  await write('bin/tool', 0o755);
  await write('bin/text', 0o644);
  await write('bin/made.CMD', 0o755);
  const path = ['/nowhere', join(root, 'bin')].join(delimiter);
  return { root, places: { path, cwd: root, platform: 'linux' as const } };
}

it('finds a program on the path, and nothing that cannot be run', async () => {
  const { root, places } = await setUp();
  expect(await findProgram('tool', places)).toBe(join(root, 'bin', 'tool'));
  for (const name of ['text', 'folder', 'absent', '', 'made'])
    expect(await findProgram(name, places), name).toBeUndefined();
  expect(await findProgram('tool', { ...places, path: undefined })).toBeUndefined();
});

it('takes a command with a folder as a file, seen from where it would start', async () => {
  const { root, places } = await setUp();
  expect(await findProgram('./bin/tool', places)).toBe(join(root, 'bin', 'tool'));
  expect(await findProgram(join(root, 'bin', 'tool'), places)).toBe(join(root, 'bin', 'tool'));
  expect(await findProgram('./tool', places)).toBeUndefined();
});

it('tries the endings of Windows there', async () => {
  const { root, places } = await setUp();
  const found = await findProgram('made', { ...places, platform: 'win32', endings: '.EXE;.CMD' });
  expect(found).toBe(join(root, 'bin', 'made.CMD'));
});

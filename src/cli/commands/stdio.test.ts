import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runTestProgram } from '../test-program.contract.ts';

it('says how to switch servers on where all of a profile are off', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'thimble-stdio-'));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const builtin = { blog: { enabled: false, tags: ['work'] } };
  await writeFile(join(cwd, 'thimble.jsonc'), JSON.stringify({ builtin }));
  const words = ['stdio', '--profile', 'work', '--home', join(cwd, 'home')];
  const { code, complaints } = await runTestProgram(words, { cwd });
  expect(code).not.toBe(0);
  expect(complaints).toContain('every server of the profile "work" is switched off: blog');
  expect(complaints).toContain('thimble server enable blog');
});

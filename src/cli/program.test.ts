import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EXIT_CODES } from './exit-codes.ts';
import { runTestProgram } from './test-program.contract.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'thimble-program-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

describe('the number a command ends with', () => {
  it.each([
    ['servr', 'list'],
    ['server', 'lsit'],
    ['--port', '1'],
  ])('says that words were wrong where no command is meant: %s %s', async (...words) => {
    expect((await runTestProgram(words, { cwd: home })).code).toBe(EXIT_CODES.usage.code);
  });

  it.each([['tokens'], ['explain'], ['find', 'anything']])(
    'says that it was stopped while it waited for servers: %s',
    async (...words) => {
      // It never greets, and ends when its input does.
      const mute = { command: process.execPath, args: ['-e', 'process.stdin.resume()'] };
      await writeFile(join(home, 'thimble.jsonc'), JSON.stringify({ mcpServers: { mute }, builtin: false }));
      const stopped = Promise.resolve('SIGINT');
      const ran = await runTestProgram([...words, '--home', home], { cwd: home, stopped });
      expect(ran.code).toBe(EXIT_CODES.stopped.code);
    },
  );

  it('is told in rising order, each once', () => {
    const codes = Object.values(EXIT_CODES).map(({ code }) => code);
    expect(codes).toEqual([...new Set(codes)].sort((a, b) => a - b));
  });
});

import { existsSync } from 'node:fs';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runProgram } from '../../lib/run-program.ts';
import { runTestProgram } from '../test-program.contract.ts';
import { completion } from './completion.ts';

/** A tag somebody wrote into a file of a project. */
const HOSTILE = '$(touch canary)';

async function toScript(shell: string): Promise<string> {
  const printed: string[] = [];
  const ports = { print: (line: string) => void printed.push(line) };
  await completion.run({ args: [shell], options: {} }, ports as never);
  return printed.join('\n');
}

/** Presses Tab in a real bash, where the program answers with these words. */
async function pressTab(words: readonly string[], then: string) {
  const cwd = await mkdtemp(join(tmpdir(), 'thimble-tab-'));
  const script = [
    `thimble() { printf '%s\\n' "$@" >asked; cat <<'WORDS'\n${words.join('\n')}\nWORDS\n}`,
    await toScript('bash'),
    "COMP_WORDS=(thimble profile edit ''); COMP_CWORD=3; _thimble",
    then,
  ].join('\n');
  const env = { PATH: process.env['PATH'] };
  const { stdout, stderr } = await runProgram('bash', ['-c', script], {
    cwd,
    env,
    timeoutMs: 10_000,
    maxBytes: 10_000,
  });
  const wasRun = await access(join(cwd, 'canary')).then(
    () => true,
    () => false,
  );
  await rm(cwd, { recursive: true });
  return { lines: stdout.split('\n').slice(0, -1), stderr, wasRun };
}

// Windows brings no bash of its own.
describe.skipIf(process.platform === 'win32')('Tab in bash', () => {
  const SHOW = `printf '%s\\n' "\${COMPREPLY[@]}"`;

  it('offers the words it was told, each as one', async () => {
    const { lines, stderr } = await pressTab(['work', 'on the road', '*'], SHOW);
    expect(stderr).toBe('');
    expect(lines).toEqual(['work', 'on\\ the\\ road', '\\*']);
  });

  it('tells the program the words so far', async () => {
    expect((await pressTab(['work'], 'cat asked')).lines).toEqual([
      'completion',
      'words',
      '--',
      'profile',
      'edit',
      '',
    ]);
  });

  it('runs nothing that a name holds, nor does the line it is put into', async () => {
    const offered = await pressTab([HOSTILE, '`touch canary`', 'a;touch canary'], SHOW);
    expect(offered.lines).toHaveLength(3);
    expect(offered.wasRun).toBe(false);
    const entered = await pressTab([HOSTILE], `eval "printf '%s\\n' \${COMPREPLY[0]}"`);
    expect(entered).toMatchObject({ lines: [HOSTILE], wasRun: false });
  });
});

describe('Tab in zsh and fish', () => {
  it('takes words as they are: neither script evaluates what the program answers', async () => {
    for (const shell of ['zsh', 'fish'])
      expect(await toScript(shell)).not.toMatch(/\beval\b|\(e\)|compgen -W/);
    expect(await toScript('zsh')).toContain('compadd -a found');
    // What a command substitution gives is split into lines by fish, and expanded no further.
    expect(await toScript('fish')).toMatch(/-a '\(thimble completion words .*\)'$/);
  });
});

describe('what is offered', () => {
  it('is the settings for config get, and the shares for share stop', async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'thimble-offered-'));
    onTestFinished(() => rm(cwd, { recursive: true, force: true }));
    const home = join(cwd, 'home');
    await writeFile(join(cwd, 'thimble.json'), '{ "mcpServers": { "web": { "command": "x" } } }');
    const tab = async (...words: string[]) =>
      (await runTestProgram(['completion', 'words', '--home', home, '--', ...words], { cwd })).out;
    expect((await tab('config', 'get', 'exposure.m')).split('\n')).toContain('exposure.mode');
    expect(await tab('share', 'stop', '')).toBe('');
    expect(existsSync(home)).toBe(false);
    const started = await runTestProgram(['share', 'start', 'memory', '--yes', '--home', home], { cwd });
    expect(started, started.complaints).toMatchObject({ code: 0 });
    expect(await tab('share', 'stop', '')).toBe('memory');
  });
});

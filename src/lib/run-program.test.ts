import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createCancel } from './cancel.ts';
import { type ProgramOptions, runProgram } from './run-program.ts';

const OPTIONS: ProgramOptions = { cwd: tmpdir(), env: {}, timeoutMs: 15_000, maxBytes: 10_000 };

function runNode(script: string, args: readonly string[] = [], options: Partial<ProgramOptions> = {}) {
  return runProgram(process.execPath, ['-e', script, '--', ...args], { ...OPTIONS, ...options });
}

describe('running a program', () => {
  it('gives its code and both outputs', async () => {
    const result = await runNode('console.log("out"); console.error("err"); process.exitCode = 3');
    expect(result).toEqual({ code: 3, stdout: 'out\n', stderr: 'err\n', truncated: false, end: 'exited' });
  });

  it('hands arguments over as they are, whatever a shell would make of them', async () => {
    const args = ['$(id)', '; ls', '`id`', '"', "'", '*', '', 'a b', '\u202Ex', '%PATH%'];
    const { stdout } = await runNode('console.log(JSON.stringify(process.argv.slice(1)))', args);
    expect(JSON.parse(stdout)).toEqual(args);
  });

  it('shows it no variable but those it was given', async () => {
    const { stdout } = await runNode('console.log(JSON.stringify(process.env))', [], {
      env: { ONLY: 'this' },
    });
    expect(JSON.parse(stdout)).toEqual({ ONLY: 'this' });
  });

  it('reads so much and no more, and ends what goes on', async () => {
    const endless = 'const say = () => process.stdout.write("ä".repeat(1000), say); say()';
    const result = await runNode(endless, [], { maxBytes: 5_001 });
    expect(result).toMatchObject({ code: undefined, truncated: true, end: 'cut' });
    expect(result.stdout).toBe('ä'.repeat(2_500));
  });

  it('ends what takes too long', async () => {
    const result = await runNode('setInterval(() => {}, 1000)', [], { timeoutMs: 300 });
    expect(result).toMatchObject({ code: undefined, end: 'timed-out' });
  });

  it('does not wait for what a program left behind', async () => {
    const leaves = `const { pid } = require('node:child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 30_000)'], { stdio: 'inherit' });
      console.log(pid)`;
    const before = performance.now();
    const { end, stdout } = await runNode(leaves, [], { timeoutMs: 1_000 });
    expect(end).toBe('timed-out');
    expect(performance.now() - before).toBeLessThan(20_000);
    if (stdout !== '') process.kill(Number(stdout));
  });

  it('ends when whoever asked has gone, or never begins', async () => {
    const cancel = createCancel();
    const running = runNode('setInterval(() => {}, 1000)', [], { signal: cancel.signal });
    cancel.abort(new Error('gone'));
    expect(await running).toMatchObject({ end: 'cancelled' });
    expect(await runNode('1', [], { signal: cancel.signal })).toMatchObject({ end: 'cancelled' });
  });

  it('says when there is no such program, directory or argument', async () => {
    expect(await runProgram('surely-no-such-program', [], OPTIONS)).toMatchObject({ end: 'not-started' });
    expect(await runNode('1', [], { cwd: '/surely/not/here' })).toMatchObject({ end: 'not-started' });
    expect(await runNode('1', ['a\0b'])).toMatchObject({ end: 'not-started' });
  });
});

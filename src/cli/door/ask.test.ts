import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../../store/open.ts';
import { runTestProgram } from '../test-program.contract.ts';
import { askProcesses, type Question } from './ask.ts';
import { openRunning } from './running.ts';
import { openTestProcess, toldServer } from './test-process.contract.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'thimble-ask-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function ask(question: Question = { ask: 'status' }, patienceMs?: number) {
  await using store = await openStore(join(home, 'thimble.db'));
  const told = await askProcesses(store, question, patienceMs);
  return { told, noted: (await openRunning(store).list()).length };
}

const run = (...words: string[]) => runTestProgram([...words, '--home', home], { cwd: home });

describe('a process that is asked', () => {
  it.each([
    ['is too slow', 'never'],
    ['answers as another version would', { surprise: true }],
    ['says more than anybody reads', `${'x'.repeat(5 * 1_024 * 1_024)}\n`],
    ['hangs up', undefined],
  ])('stays on the list when it %s', async (_, answer) => {
    await using _process = await openTestProcess(home, () => answer);
    const { told, noted } = await ask({ ask: 'status' }, answer === 'never' ? 200 : undefined);
    expect(told).toMatchObject([{ pid: 4_711, servers: [], problem: expect.stringContaining('no answer') }]);
    expect(noted).toBe(1);
  });

  it('says why it could not do what was asked', async () => {
    await using _process = await openTestProcess(home, () => ({ error: 'the store is full' }));
    expect((await ask({ ask: 'restart', upstream: 'a' })).told).toMatchObject([
      { servers: [], problem: 'could not do it: the store is full' },
    ]);
  });

  it('is forgotten only once nobody is at its address', async () => {
    const process = await openTestProcess(home, () => ({ servers: [] }));
    expect(await ask()).toMatchObject({ told: [{ servers: [] }], noted: 1 });
    await process[Symbol.asyncDispose]();
    expect(await ask()).toEqual({ told: [], noted: 0 });
  });
});

describe('a process that was killed', () => {
  // A pipe of Windows is no file, and goes with its process.
  it.skipIf(process.platform === 'win32')('leaves no socket behind once somebody asked', async () => {
    const killed = await openTestProcess(home, () => ({ servers: [] }));
    const aside = join(home, 'aside');
    await rename(killed.address, aside);
    await killed[Symbol.asyncDispose]();
    await rename(aside, killed.address);
    expect(await ask()).toEqual({ told: [], noted: 0 });
    expect(await readdir(join(home, 'run'))).toEqual([]);
  });
});

describe('people who ask a running process', () => {
  it('are told by ps that it gives no answer', async () => {
    await using _process = await openTestProcess(home, () => ({ surprise: true }));
    const { code, out } = await run('ps');
    expect(out).toMatch(/thimble serve, process 4711, .*\nIt gave no answer/);
    expect(code).toBe(0);
  });

  it('see what servers say of themselves without marks that move the cursor, and without kept values', async () => {
    const lastError = { message: '\u001b[2Jgot open-sesame-one', agoMs: 5 };
    await using process = await openTestProcess(home, () => ({
      servers: [toldServer('files', { says: 'was given open-sesame-one', lastError })],
    }));
    const entry = { command: 'x', env: { API_TOKEN: 'open-sesame-one' } };
    await run('config', 'set', 'mcpServers.files', JSON.stringify(entry), '--yes');
    for (const words of [['ps'], ['ps', '--json'], ['restart', 'files'], ['logs', 'files']]) {
      const { out, code } = await run(...words);
      for (const hidden of ['open-sesame', '\u001b']) expect(out, words.join(' ')).not.toContain(hidden);
      expect(code, words.join(' ')).toBe(0);
    }
    expect((await run('ps')).out).toContain('\\u{1b}[2Jgot (hidden)');
    expect(process.asked).toContainEqual({ ask: 'restart', upstream: 'files' });
  });

  it('are told that a restart failed, with the reason, and that one without an answer is not known', async () => {
    const ask = (question: unknown) => (question as Question).ask;
    await using first = await openTestProcess(home, (question) =>
      ask(question) === 'status' ? { servers: [toldServer('files')] } : { error: 'the disk is full' },
    );
    const { code, out } = await run('restart', 'files');
    expect(out).toContain('the disk is full');
    expect(code).toBe(1);
    expect(first.asked).toContainEqual({ ask: 'restart', upstream: 'files' });
  });

  it('are sent what a server wrote only when they name it', async () => {
    await using process = await openTestProcess(home, () => ({
      servers: [toldServer('files', { stderr: ['one', 'two'] })],
    }));
    expect(await run('logs', 'files')).toMatchObject({ code: 0, out: 'one\ntwo' });
    await run('ps');
    expect(process.asked.at(0)).not.toHaveProperty('stderr');
    expect(process.asked).toContainEqual({ ask: 'status', upstream: 'files', stderr: true });
    expect(process.asked.at(-1)).toEqual({ ask: 'status' });
  });

  it('follow what it writes until they stop it', async () => {
    let written = ['one'];
    let stop = (_signal: string) => {};
    const stopped = new Promise<string>((resolve) => {
      stop = resolve;
    });
    await using _process = await openTestProcess(home, () => ({
      servers: [toldServer('files', { stderr: written })],
    }));
    const lines: string[] = [];
    const print = (line: string) => {
      lines.push(line);
      if (line === 'one') written = ['one', 'two'];
      else stop('SIGINT');
    };
    const { code } = await runTestProgram(['logs', 'files', '--follow', '--home', home], {
      cwd: home,
      print,
      stopped,
    });
    expect(lines).toEqual(['one', 'two']);
    expect(code).toBe(0);
  });

  it('are told of a name that nothing has', async () => {
    await using _process = await openTestProcess(home, () => ({ servers: [toldServer('files')] }));
    for (const command of ['logs', 'restart'])
      expect(await run(command, 'fies')).toMatchObject({
        code: 4,
        complaints: expect.stringContaining('did you mean "files"?'),
      });
  });
});

import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runTestProgram } from '../test-program.contract.ts';

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'thimble-named-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

const run = (config: string, ...words: string[]) =>
  runTestProgram([...words, '--config', config, '--home', join(cwd, 'home')], { cwd });
const create = (config: string) =>
  run(config, 'server', 'create', 'a', '--command', 'node', '--untested', '--yes');

describe('a configuration that was named', () => {
  it.each(['ls', 'check_status', 'doctor', 'tokens'])('has to be there for thimble %s', async (command) => {
    const { code, complaints } = await run('nowhere.json', command);
    expect(complaints).toBe(
      `thimble: the configuration file ${join(cwd, 'nowhere.json')} does not exist; check the path given with --config, or create it`,
    );
    expect(code).toBe(1);
  });

  it.each(['ls', 'tokens'])('is refused by thimble %s when it is a directory', async (command) => {
    const { code, complaints } = await run('.', command);
    expect([code, complaints]).toEqual([1, `thimble: ${cwd} is a directory; --config takes a file`]);
  });

  it('is made by what begins one', async () => {
    expect(await create('new.json')).toMatchObject({ code: 0 });
    expect(existsSync(join(cwd, 'new.json'))).toBe(true);
  });

  it('is not made together with its directory', async () => {
    const { code, complaints } = await create('nowhere/new.json');
    expect([code, complaints]).toEqual([1, expect.stringContaining('nor does its directory')]);
    expect(existsSync(join(cwd, 'nowhere'))).toBe(false);
  });
});

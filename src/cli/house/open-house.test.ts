import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runTestProgram } from '../test-program.contract.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'thimble-open-house-'));
  await writeFile(join(home, 'thimble.db'), 'this is no database, whatever its name says'.repeat(100));
});
afterEach(() => rm(home, { recursive: true, force: true }));

describe('a store that does not open', () => {
  it('is what a command complains about, by its own code', async () => {
    const { code, out } = await runTestProgram(['share', 'list', '--json', '--home', home], { cwd: home });
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'STORE_CORRUPT' } });
    expect(code).toBe(1);
  });

  it('does not end a command that can do without it', async () => {
    const { code, out, complaints } = await runTestProgram(['doctor', '--json', '--home', home], {
      cwd: home,
    });
    expect(complaints).toBe('');
    expect(JSON.parse(out)).toMatchObject({ checks: expect.any(Array) });
    expect(code).toBe(1);
  });
});

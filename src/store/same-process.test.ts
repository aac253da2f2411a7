import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from './open.ts';
import { openSecrets } from './secrets.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thimble-same-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const READ = `
const Database = require('libsql');
const db = new Database(process.argv[1]);
console.log(db.prepare('select name from secrets order by name').all().map((row) => row.name).join());
db.close();
`;

/** What another process finds; when it closes, it tidies up unless somebody else has the file open. */
async function readElsewhere(path: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', READ, path]);
  return stdout.trim();
}

describe('two stores on one file in one process', () => {
  it('do not take the file from one another when one is closed', async () => {
    const path = join(folder, 'store.db');
    await using first = await openStore(path);
    await openSecrets(first).save('A', '1');
    const second = await openStore(path);
    await openSecrets(second).save('B', '2');
    await second[Symbol.asyncDispose]();
    expect(await readElsewhere(path)).toBe('A,B');
    await openSecrets(first).save('C', '3');
    expect(await readElsewhere(path)).toBe('A,B,C');
  });

  it('do not do so either when the second finds nothing it could use', async () => {
    const path = join(folder, 'refused.db');
    await using first = await openStore(path);
    await openSecrets(first).save('A', '1');
    await expect(openStore(join(path, 'below'))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await (await openStore(path))[Symbol.asyncDispose]();
    await readElsewhere(path);
    await openSecrets(first).save('B', '2');
    expect(await readElsewhere(path)).toBe('A,B');
  });
});

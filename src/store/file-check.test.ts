import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LibsqlConnection } from './dialects/libsql.ts';
import { checkLength } from './file-check.ts';

/** What another process does right after the next look at a file. */
const elsewhere = vi.hoisted((): { act: (() => Promise<void>) | undefined } => ({ act: undefined }));

vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof import('node:fs/promises')>();
  const stat = async (path: string) => {
    const found = await real.stat(path).catch((error: unknown) => error);
    const act = elsewhere.act;
    elsewhere.act = undefined;
    await act?.();
    if (found instanceof Error) throw found;
    return found;
  };
  return { ...real, stat };
});

const PAGE = 4096;

/** A connection that knows how long the store is, its log included. */
function connectionOf(pages: number): LibsqlConnection {
  const rows: Readonly<Record<string, unknown>> = {
    'pragma page_size': { page_size: PAGE },
    'pragma page_count': { page_count: pages },
  };
  return {
    prepare: async (sql: string) => ({ all: async () => [rows[sql]] }),
  } as unknown as LibsqlConnection;
}

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thimble-check-'));
  path = join(folder, 'thimble.db');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('does not take a file for cut off whose log is written into it meanwhile', async () => {
  await writeFile(path, Buffer.alloc(13 * PAGE));
  await writeFile(`${path}-wal`, 'two more pages');
  elsewhere.act = async () => {
    await writeFile(path, Buffer.alloc(15 * PAGE));
    await truncate(`${path}-wal`);
  };
  await checkLength(path, { size: 13 * PAGE, log: 0 }, connectionOf(15));
});

it('tells a file that is cut off', async () => {
  await writeFile(path, Buffer.alloc(13 * PAGE));
  const checking = checkLength(path, { size: 13 * PAGE, log: 0 }, connectionOf(15));
  await expect(checking).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
});

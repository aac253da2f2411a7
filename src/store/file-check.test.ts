import { expect, it } from 'vitest';
import type { LibsqlConnection } from './dialects/libsql.ts';
import { checkLength } from './file-check.ts';

const PAGE = 4096;
const BEFORE = { size: 13 * PAGE, log: 0 };

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

it('does not take a file for cut off whose log is written into it meanwhile', async () => {
  const sizes = new Map([
    ['store', 13 * PAGE],
    ['store-wal', 2 * PAGE],
  ]);
  const measure = async (path: string) => {
    const size = sizes.get(path);
    // Another process does this between one look and the next.
    sizes.set('store', 15 * PAGE).set('store-wal', 0);
    return size;
  };
  await checkLength('store', BEFORE, connectionOf(15), measure);
});

it('tells a file that is cut off', async () => {
  const measure = async (path: string) => (path === 'store' ? 13 * PAGE : undefined);
  const checking = checkLength('store', BEFORE, connectionOf(15), measure);
  await expect(checking).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
});

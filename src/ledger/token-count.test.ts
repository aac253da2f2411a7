import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Tokenizer } from '../lib/tokenizer.ts';
import { toDigest } from '../model/ids.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import type { Migration } from '../store/migrate.ts';
import { openStore } from '../store/open.ts';
import { DAY_MS } from './days.ts';
import { createTokenCount } from './token-count.ts';

function setUp() {
  const store = createMemoryStore();
  const counted: string[] = [];
  const tokenizer: Tokenizer = {
    async count(texts) {
      counted.push(...texts);
      return texts.map((text) => text.length);
    },
    [Symbol.dispose]() {},
  };
  let now = Date.UTC(2026, 0, 1);
  const later = (days: number) => {
    now += days * DAY_MS;
  };
  const open = (tables = store.tables) => createTokenCount({ tables }, tokenizer, () => now);
  return { store, counted, later, open };
}

describe('the count of tokens', () => {
  it('is made once for each text, whoever asks and whenever', async () => {
    const { open, counted } = setUp();
    const [one, two] = [open(), open()];
    expect(await Promise.all([one.count('ab'), one.count('ab'), one.count('abc')])).toEqual([2, 2, 3]);
    expect(await two.count('abc')).toBe(3);
    expect(counted).toEqual(['ab', 'abc']);
  });

  it.each(['a store that cannot be opened', 'tables that cannot be read'])(
    'is made all the same over %s',
    async (what) => {
      const { store, open } = setUp();
      const broken: typeof store.tables = async (owner, migrations) => {
        if (what.startsWith('a store')) throw new Error('no store');
        const opened = await store.tables<unknown>(owner, migrations);
        await opened.db.schema.dropTable('token_counts').execute();
        return opened as never;
      };
      expect(await open(broken).count('ab')).toBe(2);
    },
  );

  it('is forgotten when its text was not seen for long, and kept while it is', async () => {
    const { open, later, counted, store } = setUp();
    await Promise.all([open().count('seen'), open().count('gone')]);
    for (let months = 0; months < 15; months++) {
      later(30);
      await open().count('seen');
    }
    const { db } = await store.tables<{ token_counts: { digest: string } }>('tokens', []);
    expect(await rowsOf(db)).toHaveLength(1);
    await open().count('gone');
    expect(counted).toEqual(['seen', 'gone', 'gone']);
  });

  it('comes over from a store that did not note when a text was seen', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'thimble-counts-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 'thimble.db');
    {
      await using old = await openStore(path);
      const { db } = await old.tables<OldTables>('tokens', [FIRST]);
      await db
        .insertInto('token_counts')
        .values({ digest: toDigest('ab', 24), tokens: 7 })
        .execute();
    }
    await using store = await openStore(path);
    const { open, counted } = setUp();
    expect(await open(store.tables).count('ab')).toBe(7);
    expect(await open(store.tables).count('ab')).toBe(7);
    expect(counted).toEqual([]);
  });
});

interface OldTables {
  readonly token_counts: { readonly digest: string; readonly tokens: number };
}

/** The table as it was first released. */
const FIRST: Migration = {
  owner: 'tokens',
  id: '0001-token-counts',
  async up(db) {
    await db.schema
      .createTable('token_counts')
      .addColumn('digest', 'text', (column) => column.primaryKey())
      .addColumn('tokens', 'integer', (column) => column.notNull())
      .execute();
  },
};

function rowsOf(db: Kysely<{ token_counts: { digest: string } }>) {
  return db.selectFrom('token_counts').selectAll().execute();
}

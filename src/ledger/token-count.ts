/** Counts tokens once for each text ever seen: results are kept by digest, in memory and in the store. */
import type { Kysely } from 'kysely';
import type { TokenCount } from '../exposure/ports.ts';
import type { Tokenizer } from '../lib/tokenizer.ts';
import { toDigest } from '../model/ids.ts';
import type { Migration } from '../store/migrate.ts';
import type { Store } from '../store/store.ts';

interface CountTables {
  readonly token_counts: {
    /** Digest of the text. */
    readonly digest: string;
    readonly tokens: number;
  };
}

const MIGRATIONS: readonly Migration[] = [
  {
    owner: 'tokens',
    id: '0001-token-counts',
    async up(db) {
      await db.schema
        .createTable('token_counts')
        .addColumn('digest', 'text', (column) => column.primaryKey())
        .addColumn('tokens', 'integer', (column) => column.notNull())
        .execute();
    },
  },
];

const DIGEST_LENGTH = 24;
/** What memory holds at most; the store has the rest. */
const MAX_REMEMBERED = 20_000;
/** SQL has a limit on the values of one statement. */
const MAX_ROWS = 400;

interface Wanted {
  readonly digest: string;
  readonly text: string;
  resolve(tokens: number): void;
  reject(error: unknown): void;
}

/** Creates the counter; what is asked for in one go is looked up and counted in one go. */
export function createTokenCount(store: Pick<Store, 'tables'>, tokenizer: Tokenizer): TokenCount {
  const remembered = new Map<string, number>();
  let wanted: Wanted[] = [];

  function remember(digest: string, tokens: number): void {
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(digest, tokens);
  }

  async function answerAll(): Promise<void> {
    const batch = wanted;
    wanted = [];
    try {
      const counts = await countAll(new Map(batch.map(({ digest, text }) => [digest, text])));
      for (const { digest, resolve } of batch) resolve(counts.get(digest) ?? 0);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  async function countAll(texts: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, number>> {
    const db = await openCounts(store);
    const known = db ? await loadCounts(db, [...texts.keys()]) : new Map<string, number>();
    const unknown = [...texts].filter(([digest]) => !known.has(digest));
    const counted = await tokenizer.count(unknown.map(([, text]) => text));
    const fresh = unknown.map(([digest], at) => ({ digest, tokens: counted[at] ?? 0 }));
    for (const [digest, tokens] of known) remember(digest, tokens);
    for (const { digest, tokens } of fresh) remember(digest, tokens);
    if (db) await saveCounts(db, fresh);
    return new Map([...known, ...fresh.map(({ digest, tokens }) => [digest, tokens] as const)]);
  }

  return {
    count(text) {
      const digest = toDigest(text, DIGEST_LENGTH);
      const tokens = remembered.get(digest);
      if (tokens !== undefined) return Promise.resolve(tokens);
      return new Promise((resolve, reject) => {
        if (wanted.length === 0) queueMicrotask(() => void answerAll());
        wanted.push({ digest, text, resolve, reject });
      });
    },
  };
}

/** Without a store every count is made anew, which is slower and nothing else. */
async function openCounts(store: Pick<Store, 'tables'>): Promise<Kysely<CountTables> | undefined> {
  try {
    return (await store.tables<CountTables>('tokens', MIGRATIONS)).db;
  } catch {
    return undefined;
  }
}

async function loadCounts(db: Kysely<CountTables>, digests: readonly string[]): Promise<Map<string, number>> {
  const known = new Map<string, number>();
  for (let at = 0; at < digests.length; at += MAX_ROWS) {
    const part = digests.slice(at, at + MAX_ROWS);
    const rows = await db.selectFrom('token_counts').selectAll().where('digest', 'in', part).execute();
    for (const { digest, tokens } of rows) known.set(digest, tokens);
  }
  return known;
}

async function saveCounts(
  db: Kysely<CountTables>,
  counts: readonly { readonly digest: string; readonly tokens: number }[],
): Promise<void> {
  for (let at = 0; at < counts.length; at += MAX_ROWS) {
    await db
      .insertInto('token_counts')
      .values(counts.slice(at, at + MAX_ROWS))
      .onConflict((conflict) => conflict.column('digest').doNothing())
      .execute()
      .catch(() => {});
  }
}

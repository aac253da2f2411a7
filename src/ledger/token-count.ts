/** Counts tokens once for each text ever seen: results are kept by digest, in memory and in the store. */
import type { Kysely } from 'kysely';
import type { TokenCount } from '../exposure/ports.ts';
import type { Now } from '../lib/clock.ts';
import type { Tokenizer } from '../lib/tokenizer.ts';
import { toDigest } from '../model/ids.ts';
import type { Migration } from '../store/migrate.ts';
import type { Store } from '../store/store.ts';
import { DAY_MS, toDayText } from './days.ts';

interface CountTables {
  readonly token_counts: {
    /** Digest of the text. */
    readonly digest: string;
    readonly tokens: number;
    /** When the text was asked about last, by and by: `2026-01-31`, in UTC. */
    readonly seen_day: string;
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
  {
    owner: 'tokens',
    id: '0002-seen-day',
    async up(db) {
      const day = toDayText(Date.now());
      await db.schema
        .alterTable('token_counts')
        .addColumn('seen_day', 'text', (column) => column.notNull().defaultTo(''))
        .execute();
      await (db as Kysely<CountTables>).updateTable('token_counts').set({ seen_day: day }).execute();
    },
  },
];

const DIGEST_LENGTH = 24;
/** What memory holds at most; the store has the rest. */
const MAX_REMEMBERED = 20_000;
/** SQL has a limit on the values of one statement. */
const MAX_ROWS = 400;
/** A text that nobody asked about for so long is counted anew. */
const FORGOTTEN_AFTER_DAYS = 60;

type Known = CountTables['token_counts'];
type Count = Omit<Known, 'seen_day'>;

interface Wanted {
  readonly digest: string;
  readonly text: string;
  resolve(tokens: number): void;
  reject(error: unknown): void;
}

/** Creates the counter; what is asked for in one go is looked up and counted in one go. */
export function createTokenCount(
  store: Pick<Store, 'tables'>,
  tokenizer: Tokenizer,
  now: Now = Date.now,
): TokenCount {
  let tidied = '';
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
    const known = db ? await loadCounts(db, [...texts.keys()]) : new Map<string, Known>();
    const unknown = [...texts].filter(([digest]) => !known.has(digest));
    const counted = await tokenizer.count(unknown.map(([, text]) => text));
    const fresh = unknown.map(([digest], at) => ({ digest, tokens: counted[at] ?? 0 }));
    const counts = [...known.values(), ...fresh];
    for (const { digest, tokens } of counts) remember(digest, tokens);
    // A count that cannot be kept is made again.
    if (db) await keep(db, fresh, [...known.values()]).catch(() => {});
    return new Map(counts.map(({ digest, tokens }) => [digest, tokens]));
  }

  async function keep(
    db: Kysely<CountTables>,
    fresh: readonly Count[],
    known: readonly Known[],
  ): Promise<void> {
    const today = toDayText(now());
    await saveCounts(db, fresh, today);
    await seeAgain(
      db,
      known.filter(({ seen_day }) => seen_day < today),
      today,
    );
    if (tidied === today) return;
    tidied = today;
    const oldest = toDayText(now() - FORGOTTEN_AFTER_DAYS * DAY_MS);
    await db.deleteFrom('token_counts').where('seen_day', '<', oldest).execute();
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

/** A store that cannot be read is as good as one that knows nothing yet. */
async function loadCounts(db: Kysely<CountTables>, digests: readonly string[]): Promise<Map<string, Known>> {
  const known = new Map<string, Known>();
  try {
    for (const part of inParts(digests)) {
      const rows = await db.selectFrom('token_counts').selectAll().where('digest', 'in', part).execute();
      for (const row of rows) known.set(row.digest, row);
    }
  } catch {}
  return known;
}

async function saveCounts(db: Kysely<CountTables>, counts: readonly Count[], day: string): Promise<void> {
  for (const part of inParts(counts)) {
    await db
      .insertInto('token_counts')
      .values(part.map((count) => ({ ...count, seen_day: day })))
      .onConflict((conflict) => conflict.column('digest').doUpdateSet({ seen_day: day }))
      .execute();
  }
}

async function seeAgain(db: Kysely<CountTables>, known: readonly Known[], day: string): Promise<void> {
  for (const part of inParts(known.map(({ digest }) => digest)))
    await db.updateTable('token_counts').set({ seen_day: day }).where('digest', 'in', part).execute();
}

function inParts<T>(all: readonly T[]): readonly T[][] {
  const parts: T[][] = [];
  for (let at = 0; at < all.length; at += MAX_ROWS) parts.push(all.slice(at, at + MAX_ROWS));
  return parts;
}

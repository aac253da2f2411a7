/** Full text over FTS5: rare words say which rows are looked at, all words say how good they are. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Condition, FullText, FullTextQuery, Ranked } from '../full-text.ts';
import { type Term, toAllTerms, toTerms } from '../terms.ts';
import { toIndexName } from './sqlite-ddl.ts';

/** A word in so many rows is frequent; it is not counted further. */
const FREQUENT = 1_500;
/** How many rows one search may look at before the rest is left out, the oldest first. */
const MAX_ROWS = 3_000;
/** The same for a search with frequent words only, which ranks hardly better than the order of time. */
const MAX_FREQUENT_ROWS = 1_000;
/** A word in a larger share of the rows than this says next to nothing beside a rarer one, and costs the most. */
const COMMON_SHARE = 0.25;
/** So many frequent words beside the rare ones are enough to tell good rows from better ones. */
const MAX_FREQUENT_WORDS = 6;
/** How many of the best are checked against the conditions before all candidates are. */
const BEST_PER_HIT = 4;

/** Creates full text over the tables of one database. */
export function createSqliteFullText(db: Kysely<unknown>): FullText {
  return {
    async rank(query) {
      if (query.limit < 1) return [];
      const found = await rankTerms(db, query, toTerms(query.text));
      // Little words tell something after all when nothing else does: `son`, `it` and `war` are words in some language.
      return found.length > 0 ? found : rankTerms(db, query, toAllTerms(query.text));
    },
  };
}

async function rankTerms(db: Kysely<unknown>, query: FullTextQuery, terms: readonly Term[]) {
  const plan = toPlan(await countRows(db, query.table, terms));
  return plan ? rankRows(db, query, plan) : [];
}

interface Counted {
  readonly match: string;
  /** In how many rows the word is, up to FREQUENT. */
  readonly rows: number;
  /** In what share of the rows it is, judged by the oldest. */
  readonly share: number;
}

/** One question to FTS5, and how many of the newest rows of its answer to look at. */
interface Leg {
  readonly match: string;
  readonly maxRows: number;
}

/** What to ask of FTS5. */
interface Plan {
  readonly legs: readonly Leg[];
  /** How many rows the legs find at most. */
  readonly rows: number;
  /** Asked as well when the others do not find enough. */
  readonly spare: readonly Leg[];
}

/** Words that are in no row are left out; the rest come rarest first. */
async function countRows(
  db: Kysely<unknown>,
  table: string,
  terms: readonly Term[],
): Promise<readonly Counted[]> {
  if (terms.length === 0) return [];
  const index = sql.id(toIndexName(table));
  const matches = terms.map(toMatch);
  const counts = matches.map((match, at) => {
    const rows = sql`select rowid from ${index} where ${index} match ${match} limit ${FREQUENT}`;
    return sql<string>`(select count(*) || ' ' || ifnull(max(rowid), 0) from (${rows}))`.as(String(at));
  });
  const row = await db.selectNoFrom(counts).executeTakeFirstOrThrow();
  return matches
    .map((match, at) => toCounted(match, row[String(at)] ?? ''))
    .filter(({ rows }) => rows > 0)
    .sort((a, b) => a.rows - b.rows || a.share - b.share);
}

function toCounted(match: string, text: string): Counted {
  const [rows = 0, last = 0] = text.split(' ').map(Number);
  return { match, rows, share: rows / Math.max(1, last) };
}

function toMatch({ text, isPrefix }: Term): string {
  return `"${text.replaceAll('"', '""')}"${isPrefix ? '*' : ''}`;
}

/**
 * The first leg makes the candidates: rare words only, so that a sentence full of frequent ones costs what its rare
 * words cost. The second finds frequent words beside the rare ones, or all of them together when there are only
 * frequent ones.
 */
function toPlan(counted: readonly Counted[]): Plan | undefined {
  const rare = takeRare(counted);
  const frequent = counted.slice(rare.length);
  const telling = frequent.filter(({ share }) => share <= COMMON_SHARE).slice(0, MAX_FREQUENT_WORDS);
  const least = frequent.slice(0, 1).map(({ match }) => ({ match, maxRows: MAX_FREQUENT_ROWS }));
  if (rare.length === 0) {
    if (least.length === 0) return undefined;
    const together = telling.length > 1 ? [{ match: join(telling, 'AND'), maxRows: MAX_FREQUENT_ROWS }] : [];
    return { legs: [...least, ...together], rows: MAX_FREQUENT_ROWS, spare: [] };
  }
  const candidates = join(rare, 'OR');
  const beside = telling.length > 0 ? [`(${candidates}) AND (${join(telling, 'OR')})`] : [];
  return {
    legs: [candidates, ...beside].map((match) => ({ match, maxRows: MAX_ROWS })),
    rows: rare.reduce((sum, { rows }) => sum + rows, 0),
    spare: least,
  };
}

function join(words: readonly Counted[], operator: 'AND' | 'OR'): string {
  return words.map(({ match }) => match).join(` ${operator} `);
}

function takeRare(counted: readonly Counted[]): readonly Counted[] {
  let left = MAX_ROWS;
  return counted.filter(({ rows }) => {
    left -= rows;
    return rows < FREQUENT && left >= 0;
  });
}

/**
 * Reading the rows themselves costs more than ranking them: so the best are ranked first and checked then, and only
 * when too few of them meet the conditions is every candidate checked before it is ranked.
 */
async function rankRows(
  db: Kysely<unknown>,
  { table, where = [], limit }: FullTextQuery,
  { legs, rows, spare }: Plan,
): Promise<readonly Ranked[]> {
  const asked = rows < limit ? [...legs, ...spare] : legs;
  if (where.length === 0) return readRanking(db, toRanking(table, asked, [], limit));
  const best = toRanking(table, asked, [], limit * BEST_PER_HIT);
  const kept = sql`select best.id, best.score from (${best}) as best cross join ${sql.id(table)} as kept on kept.rowid = best.id where ${toAll(where)} order by best.score desc, best.id desc limit ${limit}`;
  const found = await readRanking(db, kept);
  if (found.length >= limit) return found;
  return readRanking(db, toRanking(table, [...legs, ...spare], where, limit));
}

/** A select of Kysely's own, since the driver takes the write lock for anything else. */
function readRanking(db: Kysely<unknown>, ranking: RawBuilder<unknown>): Promise<readonly Ranked[]> {
  return db.selectFrom(sql<Ranked>`(${ranking})`.as('ranking')).select(['id', 'score']).execute();
}

/** One row an id with the best of its scores, best first. */
function toRanking(
  table: string,
  legs: readonly Leg[],
  where: readonly Condition[],
  limit: number,
): RawBuilder<unknown> {
  const rows = legs.map((leg) => sql`select id, score from (${toCandidates(table, leg, where)})`);
  return sql`select id, max(score) as score from (${sql.join(rows, sql` union all `)}) group by id order by score desc, id desc limit ${limit}`;
}

/** The newest rows that match, each with its score. */
function toCandidates(
  table: string,
  { match, maxRows }: Leg,
  where: readonly Condition[],
): RawBuilder<unknown> {
  const index = sql.id(toIndexName(table));
  // `cross` keeps the index in front, so that it delivers the newest rows first and can stop early.
  const rows =
    where.length === 0
      ? sql`${index} where`
      : sql`${index} cross join ${sql.id(table)} as kept on kept.rowid = ${index}.rowid where ${toAll(where)} and`;
  return sql`select ${index}.rowid as id, -bm25(${index}) as score from ${rows} ${index} match ${match} order by ${index}.rowid desc limit ${maxRows}`;
}

function toAll(where: readonly Condition[]): RawBuilder<unknown> {
  return sql.join(where.map(toSql), sql` and `);
}

function toSql({ column, is, value }: Condition): RawBuilder<unknown> {
  const target = sql.id('kept', column);
  if (Array.isArray(value)) return value.length === 0 ? sql`0` : sql`${target} in (${sql.join([...value])})`;
  if (value === null) return sql`${target} is null`;
  return sql`${target} ${sql.raw(is)} ${value}`;
}

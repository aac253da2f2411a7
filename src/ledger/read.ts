/** Reads the ledger for people: per client and day what it took, and every change of a surface with its price. */
import type { Store } from '../store/store.ts';
import { type ChangeRow, type DayRow, LEDGER_MIGRATIONS, type LedgerTables } from './tables.ts';

/** One day of one client at one endpoint, in tokens. */
export interface LedgerDay {
  readonly day: string;
  readonly client: string;
  readonly endpoint: string;
  readonly lists: number;
  readonly listTokens: number;
  readonly searches: number;
  readonly searchTokens: number;
  readonly calls: number;
  readonly resultTokens: number;
}

/** What the ledger holds. */
export interface LedgerReport {
  readonly days: readonly LedgerDay[];
  readonly changes: readonly Omit<ChangeRow, 'principal'>[];
}

/** What a token is taken for where nothing was counted. */
const CHARS_PER_TOKEN = 4;

/** Reads the newest days and changes of a principal, newest first. */
export async function readLedger(
  store: Pick<Store, 'tables'>,
  principal: string,
  limit: number,
): Promise<LedgerReport> {
  const { db } = await store.tables<LedgerTables>('ledger', LEDGER_MIGRATIONS);
  const days = await db
    .selectFrom('ledger_days')
    .selectAll()
    .where('principal', '=', principal)
    .orderBy('day', 'desc')
    .orderBy('client')
    .orderBy('endpoint')
    .limit(limit)
    .execute();
  const changes = await db
    .selectFrom('ledger_changes')
    .select(['at', 'client', 'endpoint', 'cause', 'tools_before', 'tools_after', 'tokens'])
    .where('principal', '=', principal)
    .orderBy('at', 'desc')
    .limit(limit)
    .execute();
  return { days: days.map(toLedgerDay), changes };
}

/** Texts are counted in samples; the whole is taken to be like the part. */
function toLedgerDay(row: DayRow): LedgerDay {
  const perChar = row.counted_chars > 0 ? row.counted_tokens / row.counted_chars : 1 / CHARS_PER_TOKEN;
  return {
    day: row.day,
    client: row.client,
    endpoint: row.endpoint,
    lists: row.lists,
    listTokens: row.list_tokens,
    searches: row.searches,
    searchTokens: Math.round(row.search_chars * perChar),
    calls: row.calls,
    resultTokens: Math.round(row.result_chars * perChar),
  };
}

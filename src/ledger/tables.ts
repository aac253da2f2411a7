/** The tables of the ledger. */
import type { CreateTableBuilder, Kysely } from 'kysely';
import type { Migration } from '../store/migrate.ts';

/** What one client was given at one endpoint on one day. */
export interface DayRow {
  /** `2026-01-31`, in UTC. */
  readonly day: string;
  readonly principal: string;
  readonly client: string;
  readonly endpoint: string;
  /** How often the tools were listed. */
  readonly lists: number;
  /** Tokens of all those lists. */
  readonly list_tokens: number;
  readonly searches: number;
  readonly search_chars: number;
  readonly calls: number;
  readonly result_chars: number;
  /** How much of those characters was counted in tokens, and how many these were. */
  readonly counted_chars: number;
  readonly counted_tokens: number;
}

/** The tools a client was shown last at an endpoint. */
export interface SurfaceRow {
  readonly principal: string;
  readonly client: string;
  readonly endpoint: string;
  readonly digest: string;
  readonly tools: number;
}

/** One change of the bytes a client was shown. */
export interface ChangeRow {
  /** ISO 8601. */
  readonly at: string;
  readonly principal: string;
  readonly client: string;
  readonly endpoint: string;
  readonly cause: string;
  readonly tools_before: number;
  readonly tools_after: number;
  /** What the client has to read again, at least. */
  readonly tokens: number;
}

/** How often one tool was called for one principal on one day. */
export interface UsageRow {
  /** `2026-01-31`, in UTC. */
  readonly day: string;
  readonly principal: string;
  readonly upstream: string;
  /** What its upstream calls it. */
  readonly tool: string;
  readonly calls: number;
  /** Calls that gave no result, or one that says it is an error. */
  readonly errors: number;
  readonly total_ms: number;
  readonly max_ms: number;
  /** How long the texts and data of its results were, in characters. */
  readonly bytes: number;
  /** ISO 8601. */
  readonly last_used: string;
}

/** Every table of the ledger. */
export interface LedgerTables {
  readonly ledger_usage: UsageRow;
  readonly ledger_days: DayRow;
  readonly ledger_surfaces: SurfaceRow;
  readonly ledger_changes: ChangeRow;
}

const USAGE_KEY: readonly string[] = ['day', 'principal', 'upstream', 'tool'];
const USAGE_COUNTS: readonly string[] = ['calls', 'errors', 'total_ms', 'max_ms', 'bytes'];
const WHO: readonly string[] = ['principal', 'client', 'endpoint'];
const DAY_COUNTS = [
  'lists',
  'list_tokens',
  'searches',
  'search_chars',
  'calls',
  'result_chars',
  'counted_chars',
  'counted_tokens',
] as const;

/** Every step of the ledger's schema; only ever appended to. */
export const LEDGER_MIGRATIONS: readonly Migration[] = [
  {
    owner: 'ledger',
    id: '0001-ledger',
    async up(db) {
      let days = createTextTable(db, 'ledger_days', ['day', ...WHO]);
      for (const name of DAY_COUNTS) days = days.addColumn(name, 'bigint', (column) => column.notNull());
      await days.addPrimaryKeyConstraint('ledger_days_pk', ['day', ...WHO]).execute();
      await createTextTable(db, 'ledger_surfaces', [...WHO, 'digest'])
        .addColumn('tools', 'integer', (column) => column.notNull())
        .addPrimaryKeyConstraint('ledger_surfaces_pk', [...WHO])
        .execute();
      let changes = createTextTable(db, 'ledger_changes', ['at', ...WHO, 'cause']);
      for (const name of ['tools_before', 'tools_after', 'tokens'])
        changes = changes.addColumn(name, 'integer', (column) => column.notNull());
      await changes.execute();
      await db.schema.createIndex('ledger_changes_by_time').on('ledger_changes').column('at').execute();
    },
  },
  {
    owner: 'ledger',
    id: '0002-usage',
    async up(db) {
      let usage = createTextTable(db, 'ledger_usage', [...USAGE_KEY, 'last_used']);
      for (const name of USAGE_COUNTS) usage = usage.addColumn(name, 'bigint', (column) => column.notNull());
      await usage.addPrimaryKeyConstraint('ledger_usage_pk', [...USAGE_KEY]).execute();
    },
  },
];

function createTextTable(
  db: Kysely<unknown>,
  table: string,
  columns: readonly string[],
): CreateTableBuilder<string, string> {
  let builder: CreateTableBuilder<string, string> = db.schema.createTable(table);
  for (const name of columns) builder = builder.addColumn(name, 'text', (column) => column.notNull());
  return builder;
}

/** A day on which nothing has happened yet. */
export function createDay(who: Pick<DayRow, 'day' | 'principal' | 'client' | 'endpoint'>): DayRow {
  return {
    ...who,
    lists: 0,
    list_tokens: 0,
    searches: 0,
    search_chars: 0,
    calls: 0,
    result_chars: 0,
    counted_chars: 0,
    counted_tokens: 0,
  };
}

/** Two parts of one day as one. */
export function addDays(a: DayRow, b: DayRow): DayRow {
  const sums = Object.fromEntries(DAY_COUNTS.map((name) => [name, a[name] + b[name]]));
  return { ...a, ...sums };
}

/** Keeps account of which tools are used: summed up in passing, written in one go a little later. */
import type { ExpressionBuilder, Kysely } from 'kysely';
import type { CalledTool } from '../catalog/called-tool.ts';
import type { Clock, Now } from '../lib/clock.ts';
import { createLateWriter } from '../lib/late-writer.ts';
import { needsInput } from '../model/input-required.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { Store } from '../store/store.ts';
import { DAY_MS, KEPT_DAYS, toDayText } from './days.ts';
import { LEDGER_MIGRATIONS, type LedgerTables, type UsageRow } from './tables.ts';

/** The account of calls of one gateway; disposing it writes down what is left, within reason. */
export interface Usage extends AsyncDisposable {
  called(call: CalledTool): void;
  /** Writes down what is left. */
  flush(): Promise<void>;
}

/** How often one tool was used, over some days. */
export interface ToolUsage {
  readonly upstream: string;
  readonly tool: string;
  readonly calls: number;
  readonly errors: number;
  readonly totalMs: number;
  readonly maxMs: number;
  /** ISO 8601. */
  readonly lastUsed: string;
  /** How long the texts and data of its results were, in characters. */
  readonly bytes: number;
}

/** What of it is wanted. */
export interface UsageQuery {
  /** How many days back, today included. */
  readonly days: number;
  readonly upstream?: string | undefined;
  readonly now?: Date;
}

/** How long a stop waits for it. */
const LAST_MS = 500;
/** More different tools than this between two flushes are left out of the account rather than kept in memory. */
const MAX_WAITING = 5_000;
const MAX_NAME = 200;
/** SQL has a limit on the values of one statement. */
const MAX_ROWS = 400;

/** What the account is made of. */
export interface UsageParts {
  readonly store: Pick<Store, 'tables'>;
  /** The time of day. */
  readonly now: Now;
  readonly clock?: Clock;
}

/** Opens the account; nothing is written before there is something to keep. */
export function createUsage({ store, now, clock }: UsageParts): Usage {
  let waiting = new Map<string, Tally>();
  const writer = createLateWriter({
    clock,
    lastMs: LAST_MS,
    write() {
      const rows = [...waiting.values()].map(toRow);
      waiting = new Map();
      return write(rows, store, now());
    },
  });

  return {
    flush: writer.flush,
    called(call) {
      // A call that waits for its client's input is not over; it is told of when it is.
      if (call.result && needsInput(call.result)) return;
      const at = now();
      const { principal, upstream } = call;
      const tool = call.tool.slice(0, MAX_NAME);
      const key = `${Math.floor(at / DAY_MS)} ${principal.id} ${upstream} ${tool}`;
      let tally = waiting.get(key);
      if (!tally) {
        if (waiting.size >= MAX_WAITING) return;
        tally = createTally(principal.id, upstream, tool);
        waiting.set(key, tally);
      }
      addCall(tally, call, at);
      writer.soon();
    },
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  };
}

/** Reads how often tools were used, the most used first. */
export async function readUsage(
  store: Pick<Store, 'tables'>,
  { days, upstream, now = new Date() }: UsageQuery,
): Promise<readonly ToolUsage[]> {
  const { db } = await store.tables<LedgerTables>('ledger', LEDGER_MIGRATIONS);
  const query = db
    .selectFrom('ledger_usage')
    .select(['upstream', 'tool'])
    .select(({ fn }) => [
      fn.sum('calls').as('calls'),
      fn.sum('errors').as('errors'),
      fn.sum('total_ms').as('totalMs'),
      fn.max('max_ms').as('maxMs'),
      fn.sum('bytes').as('bytes'),
      fn.max('last_used').as('lastUsed'),
    ])
    .where('day', '>=', toDayText(now.getTime() - (Math.max(1, days) - 1) * DAY_MS))
    .groupBy(['upstream', 'tool']);
  const rows = await (upstream === undefined ? query : query.where('upstream', '=', upstream)).execute();
  return rows
    .map(({ calls, errors, totalMs, maxMs, bytes, ...row }) => ({
      ...row,
      calls: Number(calls),
      errors: Number(errors),
      totalMs: Number(totalMs),
      maxMs: Number(maxMs),
      bytes: Number(bytes),
    }))
    .sort(byCalls);
}

function byCalls(a: ToolUsage, b: ToolUsage): number {
  return b.calls - a.calls || (`${a.upstream} ${a.tool}` < `${b.upstream} ${b.tool}` ? -1 : 1);
}

async function write(rows: readonly UsageRow[], store: Pick<Store, 'tables'>, now: number): Promise<void> {
  if (rows.length === 0) return;
  const { db } = await store.tables<LedgerTables>('ledger', LEDGER_MIGRATIONS);
  await db.transaction().execute(async (transaction) => {
    for (let at = 0; at < rows.length; at += MAX_ROWS)
      await addRows(transaction, rows.slice(at, at + MAX_ROWS));
    await transaction
      .deleteFrom('ledger_usage')
      .where('day', '<', toDayText(now - KEPT_DAYS * DAY_MS))
      .execute();
  });
}

type Writing = ExpressionBuilder<{ ledger_usage: UsageRow; excluded: UsageRow }, 'ledger_usage' | 'excluded'>;

/** Added up by the database, since other processes count as well. */
async function addRows(db: Kysely<LedgerTables>, rows: readonly UsageRow[]): Promise<void> {
  const sum = (eb: Writing, name: 'calls' | 'errors' | 'total_ms' | 'bytes') =>
    eb(`ledger_usage.${name}`, '+', eb.ref(`excluded.${name}`));
  const longest = (eb: Writing) =>
    eb
      .case()
      .when('ledger_usage.max_ms', '<', eb.ref('excluded.max_ms'))
      .then(eb.ref('excluded.max_ms'))
      .else(eb.ref('ledger_usage.max_ms'))
      .end();
  await db
    .insertInto('ledger_usage')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns(['day', 'principal', 'upstream', 'tool']).doUpdateSet((eb) => ({
        calls: sum(eb, 'calls'),
        errors: sum(eb, 'errors'),
        total_ms: sum(eb, 'total_ms'),
        bytes: sum(eb, 'bytes'),
        max_ms: longest(eb),
        last_used: eb.ref('excluded.last_used'),
      })),
    )
    .execute();
}

/** What was not written yet of one tool on one day. */
interface Tally {
  readonly principal: string;
  readonly upstream: string;
  readonly tool: string;
  calls: number;
  errors: number;
  totalMs: number;
  maxMs: number;
  bytes: number;
  /** In milliseconds since 1970. */
  lastUsed: number;
}

function createTally(principal: string, upstream: string, tool: string): Tally {
  return { principal, upstream, tool, calls: 0, errors: 0, totalMs: 0, maxMs: 0, bytes: 0, lastUsed: 0 };
}

/** Adds a call to what is summed up already: no text is made and nothing is copied, since this is done in passing. */
function addCall(tally: Tally, { ms, result }: CalledTool, now: number): void {
  tally.calls += 1;
  if (result === undefined || result['isError'] === true) tally.errors += 1;
  tally.totalMs += ms;
  tally.maxMs = Math.max(tally.maxMs, ms);
  if (result) tally.bytes += lengthOf(result);
  tally.lastUsed = now;
}

function toRow(tally: Tally): UsageRow {
  const { principal, upstream, tool, calls, errors, bytes } = tally;
  return {
    day: toDayText(tally.lastUsed),
    principal,
    upstream,
    tool,
    calls,
    errors,
    total_ms: Math.round(tally.totalMs),
    max_ms: Math.round(tally.maxMs),
    bytes,
    last_used: new Date(tally.lastUsed).toISOString(),
  };
}

/** Lengths only, so that a large result costs no more than a small one. */
function lengthOf(result: JsonObject): number {
  const content = Array.isArray(result['content']) ? result['content'] : [];
  let length = 0;
  for (const part of content) if (isJsonObject(part)) length += lengthOfPart(part);
  return length;
}

function lengthOfPart({ text, data, resource }: JsonObject): number {
  const inner = isJsonObject(resource) ? lengthOfText(resource['text']) + lengthOfText(resource['blob']) : 0;
  return inner + lengthOfText(text) + lengthOfText(data);
}

function lengthOfText(value: JsonValue | undefined): number {
  return typeof value === 'string' ? value.length : 0;
}

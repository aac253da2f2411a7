/** Keeps account of what clients were shown and told, in tokens; counts later, never on the way of a call. */
import type { Kysely } from 'kysely';
import type { TokenCount } from '../exposure/ports.ts';
import type { Clock, Now } from '../lib/clock.ts';
import { createLateWriter } from '../lib/late-writer.ts';
import type { Tokenizer } from '../lib/tokenizer.ts';
import type { CallContext } from '../model/call.ts';
import type { JsonObject } from '../model/json.ts';
import type { Definition } from '../model/mcp.ts';
import type { Store } from '../store/store.ts';
import { type Causes, createCauses } from './causes.ts';
import { toDayText } from './days.ts';
import { createListMeasure, isSameList, type ListMeasure } from './measure-list.ts';
import { type Sample, toSample } from './sample.ts';
import { addDays, createDay, type DayRow, LEDGER_MIGRATIONS, type LedgerTables } from './tables.ts';
import { addChange, addToDay, forgetOld, replaceSurface } from './write.ts';

/** The ledger of one gateway; disposing it writes down what is left, within reason. */
export interface Ledger extends AsyncDisposable {
  listed(context: CallContext, endpoint: string, tools: readonly Definition[]): void;
  answered(context: CallContext, endpoint: string, tool: string, result: JsonObject): void;
  /** Notes something that may change what clients are shown. */
  readonly causes: Causes;
  /** Writes down what is left. */
  flush(): Promise<void>;
}

/** What a ledger is made of. */
export interface LedgerParts {
  readonly store: Pick<Store, 'tables'>;
  /** For surfaces, which come again and again. */
  readonly tokens: TokenCount;
  /** For results, which do not. */
  readonly tokenizer: Tokenizer;
  /** The time of day. */
  readonly now: Now;
  readonly clock?: Clock;
  /** True for tools of our own that only tell what there is. */
  readonly isSearch: (tool: string) => boolean;
}

type Who = Pick<DayRow, 'principal' | 'client' | 'endpoint'>;

interface Listed extends Who {
  readonly at: number;
  readonly tools: readonly Definition[];
  /** How often in a row. */
  times: number;
  /** When this surface was listed before, so that what happened since can be named. */
  readonly before: number | undefined;
}

interface Answered extends Who {
  readonly at: number;
  readonly search: boolean;
  readonly sample: Sample;
}

/** How long a stop waits for counting. */
const LAST_MS = 500;
/** More than this between two flushes is left out of the account rather than kept in memory. */
const MAX_WAITING = 2_000;

/** Of many results a few are counted, and the rest is taken to be like them. */
const MAX_COUNTED = 40;

/** Clients name themselves: of more than these it is forgotten when they listed last, and so what happened since. */
const MAX_CLIENTS = 1_000;

/** Opens a ledger; nothing is written or loaded before there is something to keep. */
export function createLedger(parts: LedgerParts): Ledger {
  const { now, isSearch } = parts;
  const causes = createCauses(now);
  const lastListed = new Map<string, number>();
  const writeDown = createWriter(parts, causes);
  let listed: Listed[] = [];
  let newest = new Map<string, Listed>();
  let answered: Answered[] = [];
  const writer = createLateWriter({
    clock: parts.clock,
    lastMs: LAST_MS,
    write() {
      const lists = listed;
      const answers = answered;
      listed = [];
      newest = new Map();
      answered = [];
      return writeDown(lists, answers);
    },
  });

  return {
    causes,
    flush: writer.flush,
    listed(context, endpoint, tools) {
      const who = whoOf(context, endpoint);
      const key = JSON.stringify(who);
      const at = now();
      const before = lastListed.get(key);
      keepLatest(lastListed, key, at);
      const last = newest.get(key);
      if (last && toDayText(last.at) === toDayText(at) && isSameList(last.tools, tools)) {
        last.times += 1;
        return;
      }
      if (listed.length >= MAX_WAITING) return;
      const list = { ...who, at, tools, times: 1, before };
      listed.push(list);
      newest.set(key, list);
      writer.soon();
    },
    answered(context, endpoint, tool, result) {
      if (answered.length >= MAX_WAITING) return;
      const search = isSearch(tool);
      answered.push({ ...whoOf(context, endpoint), at: now(), search, sample: toSample(result) });
      writer.soon();
    },
    [Symbol.asyncDispose]: () => writer[Symbol.asyncDispose](),
  };
}

/** The newest stays longest. */
function keepLatest(latest: Map<string, number>, key: string, at: number): void {
  latest.delete(key);
  latest.set(key, at);
  const [oldest] = latest.keys();
  if (latest.size > MAX_CLIENTS && oldest !== undefined) latest.delete(oldest);
}

type Write = (lists: readonly Listed[], answers: readonly Answered[]) => Promise<void>;

/** Counts first and then writes in one go: nobody else can use the store in between. */
function createWriter({ store, tokens, tokenizer, now }: LedgerParts, causes: Causes): Write {
  const measure = createListMeasure(tokens);
  let tidied = '';
  return async (lists, answers) => {
    if (lists.length + answers.length === 0) return;
    const { db } = await store.tables<LedgerTables>('ledger', LEDGER_MIGRATIONS);
    const days = new Map<string, DayRow>();
    const surfaces: MeasuredList[] = [];
    for (const list of lists) {
      const measured = { list, ...(await measure(list.tools)) };
      surfaces.push(measured);
      const { times } = list;
      collect(days, { ...toDay(list), lists: times, list_tokens: times * measured.tokens });
    }
    const counts = await tokenizer.count(answers.slice(0, MAX_COUNTED).map(({ sample }) => sample.text));
    for (const [at, answer] of answers.entries()) collect(days, toAnswerDay(answer, counts[at]));
    const today = toDayText(now());
    await db.transaction().execute(async (transaction) => {
      for (const surface of surfaces) await addSurface(transaction, surface, causes);
      for (const day of days.values()) await addToDay(transaction, day);
      if (tidied !== today) await forgetOld(transaction, now());
    });
    tidied = today;
  };
}

interface MeasuredList extends ListMeasure {
  readonly list: Listed;
}

/** Notes what a client was shown, and that it changed where it did. */
async function addSurface(
  db: Kysely<LedgerTables>,
  { list, digest, tokens }: MeasuredList,
  causes: Causes,
): Promise<void> {
  const tools = list.tools.length;
  const before = await replaceSurface(db, { ...toWho(list), digest, tools });
  if (before === undefined || before.digest === digest) return;
  await addChange(db, {
    ...toWho(list),
    at: new Date(list.at).toISOString(),
    cause: causes.since(list.before ?? Number.POSITIVE_INFINITY),
    tools_before: before.tools,
    tools_after: tools,
    tokens,
  });
}

function whoOf({ principal, facts }: CallContext, endpoint: string): Who {
  return { principal: principal.id, client: facts.name.slice(0, 100), endpoint };
}

function toWho({ principal, client, endpoint }: Who): Who {
  return { principal, client, endpoint };
}

function toDay(entry: Who & { readonly at: number }): DayRow {
  return createDay({ ...toWho(entry), day: toDayText(entry.at) });
}

function toAnswerDay(answer: Answered, tokens: number | undefined): DayRow {
  const { chars, text } = answer.sample;
  const counts = tokens === undefined ? {} : { counted_chars: text.length, counted_tokens: tokens };
  return answer.search
    ? { ...toDay(answer), ...counts, searches: 1, search_chars: chars }
    : { ...toDay(answer), ...counts, calls: 1, result_chars: chars };
}

function collect(days: Map<string, DayRow>, day: DayRow): void {
  const key = JSON.stringify([day.day, day.principal, day.client, day.endpoint]);
  const before = days.get(key);
  days.set(key, before ? addDays(before, day) : day);
}

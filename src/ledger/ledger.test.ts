import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { createContext } from '../../test/support/contexts.ts';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import type { Tokenizer } from '../lib/tokenizer.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import type { Migration } from '../store/migrate.ts';
import type { Store } from '../store/store.ts';
import { createLedger } from './ledger.ts';
import { readLedger } from './read.ts';
import { LEDGER_MIGRATIONS, type LedgerTables } from './tables.ts';
import { createTokenCount } from './token-count.ts';

const TOOLS = [{ name: 'read', inputSchema: { type: 'object' } }];
const MORE = [...TOOLS, { name: 'write', inputSchema: { type: 'object' } }];
const DAY = 86_400_000;
const FACTS = createContext().facts;

function setUp() {
  const clock = createFakeClock();
  const store = createMemoryStore();
  const counted: string[] = [];
  const tokenizer: Tokenizer = {
    async count(texts) {
      counted.push(...texts);
      return texts.map((text) => countTokens(text));
    },
    [Symbol.dispose]() {},
  };
  const open = () =>
    createLedger({
      store,
      tokens: createTokenCount(store, tokenizer),
      tokenizer,
      now: clock.now,
      isSearch: (tool) => tool === 'discover',
    });
  const ledger = open();
  const report = async () => {
    await ledger.flush();
    return readLedger(store, 'local', 100);
  };
  return { clock, store, tokenizer, counted, ledger, open, report };
}

const text = (words: string) => ({ content: [{ type: 'text', text: words }] });
const tokensOf = (tools: object[]) => countTokens(JSON.stringify({ tools }));

describe('the ledger', () => {
  it('keeps per client and day what was shown, found and answered, in tokens', async () => {
    const { ledger, clock, report } = setUp();
    const context = createContext();
    ledger.listed(context, 'mode search', TOOLS);
    ledger.answered(context, 'mode search', 'discover', text('one two three'));
    ledger.answered(context, 'mode search', 'execute', text('four five six'));
    await clock.advance(DAY);
    ledger.listed(context, 'mode search', TOOLS);
    const { days, changes } = await report();
    expect(days).toHaveLength(2);
    expect(days[1]).toMatchObject({
      lists: 1,
      listTokens: tokensOf(TOOLS),
      searches: 1,
      searchTokens: 3,
      calls: 1,
      resultTokens: 3,
    });
    expect(days[0]).toMatchObject({ lists: 1, searches: 0, calls: 0 });
    expect(changes).toEqual([]);
  });

  it('keeps every change of what a client was shown, with its price and its cause', async () => {
    const { ledger, clock, report } = setUp();
    const context = createContext();
    ledger.listed(context, 'mode direct', TOOLS);
    await clock.advance(1_000);
    ledger.causes.note('tools of files');
    ledger.listed(context, 'mode direct', MORE);
    ledger.listed(context, 'mode direct', MORE);
    const { changes } = await report();
    expect(changes).toMatchObject([
      {
        cause: 'tools of files',
        tools_before: 1,
        tools_after: 2,
        tokens: tokensOf(MORE),
        endpoint: 'mode direct',
      },
    ]);
  });

  it('notices after a restart that a client is shown something else', async () => {
    const { ledger, open, store } = setUp();
    ledger.listed(createContext(), 'mode direct', TOOLS);
    await ledger.flush();
    const next = open();
    next.listed(createContext(), 'mode direct', MORE);
    await next.flush();
    const { changes } = await readLedger(store, 'local', 10);
    expect(changes).toMatchObject([{ cause: 'something changed while this client was away' }]);
  });

  it('counts nothing on the way of a call, and only part of what is long', async () => {
    const { ledger, counted, report } = setUp();
    ledger.answered(createContext(), 'mode direct', 'x', text('word '.repeat(100_000)));
    expect(counted).toEqual([]);
    const { days } = await report();
    expect(counted.join('').length).toBeLessThan(10_000);
    const resultTokens = days[0]?.resultTokens ?? 0;
    expect(Math.abs(resultTokens - 100_000)).toBeLessThan(5_000);
  });

  it('counts each list of tools once, however often it is shown', async () => {
    const { ledger, counted, report } = setUp();
    for (let times = 0; times < 5; times++) ledger.listed(createContext(), 'mode direct', TOOLS);
    const { days } = await report();
    expect(counted).toHaveLength(1);
    expect(days[0]).toMatchObject({ lists: 5, listTokens: 5 * tokensOf(TOOLS) });
  });

  it('makes no text of a list whose definitions it has measured, and writes once for all of it', async () => {
    const { store, tokenizer, clock } = setUp();
    const texts: string[] = [];
    let transactions = 0;
    const counting: Pick<Store, 'tables'> = {
      async tables<T>(owner: string, migrations: readonly Migration[]) {
        const opened = await store.tables<T>(owner, migrations);
        const db = new Proxy(opened.db, {
          get(target, key) {
            if (key === 'transaction') transactions += 1;
            const member: unknown = Reflect.get(target, key, target);
            return typeof member === 'function' ? member.bind(target) : member;
          },
        });
        return { ...opened, db };
      },
    };
    const ledger = createLedger({
      store: counting,
      tokens: { count: async (text) => texts.push(text) },
      tokenizer,
      now: clock.now,
      isSearch: () => false,
    });
    const list = (name: string, tools: typeof TOOLS) =>
      ledger.listed(createContext({ facts: { ...FACTS, name } }), 'mode direct', [...tools]);
    for (const name of ['a', 'b', 'a']) list(name, TOOLS);
    ledger.answered(createContext(), 'mode direct', 'x', text('words'));
    await ledger.flush();
    expect(texts).toHaveLength(1);
    expect(transactions).toBe(1);
    list('a', TOOLS);
    list('b', MORE);
    await ledger.flush();
    expect(texts).toHaveLength(2);
    expect(transactions).toBe(2);
    const { days, changes } = await readLedger(store, 'local', 10);
    expect(days.map(({ client, lists }) => [client, lists])).toEqual([
      ['a', 3],
      ['b', 2],
      ['test', 0],
    ]);
    expect(changes).toMatchObject([{ client: 'b', tools_before: 1, tools_after: 2 }]);
  });

  it('remembers when a thousand clients listed last, and not those before them', async () => {
    const { ledger, clock, report } = setUp();
    const list = (name: string, tools: typeof TOOLS) =>
      ledger.listed(createContext({ facts: { ...FACTS, name } }), 'mode direct', tools);
    list('first', TOOLS);
    await clock.advance(1_000);
    for (let number = 0; number < 1_000; number++) list(`client ${number}`, TOOLS);
    ledger.causes.note('tools of files');
    list('first', MORE);
    list('client 999', MORE);
    const { changes } = await report();
    expect(Object.fromEntries(changes.map(({ client, cause }) => [client, cause]))).toEqual({
      first: 'something changed while this client was away',
      'client 999': 'tools of files',
    });
  });

  it('forgets days, changes and surfaces that are very old', async () => {
    const { ledger, clock, store } = setUp();
    const list = (name: string, tools: typeof TOOLS) =>
      ledger.listed(createContext({ facts: { ...FACTS, name } }), 'mode direct', tools);
    list('old', TOOLS);
    list('old', MORE);
    list('stays', TOOLS);
    await ledger.flush();
    await clock.advance(300 * DAY);
    list('stays', TOOLS);
    await ledger.flush();
    await clock.advance(150 * DAY);
    list('new', TOOLS);
    await ledger.flush();
    const { db } = await store.tables<LedgerTables>('ledger', LEDGER_MIGRATIONS);
    const clientsOf = async (table: 'ledger_days' | 'ledger_surfaces' | 'ledger_changes') =>
      (await db.selectFrom(table).select('client').orderBy('client').execute()).map(({ client }) => client);
    expect(await clientsOf('ledger_days')).toEqual(['new', 'stays']);
    expect(await clientsOf('ledger_surfaces')).toEqual(['new', 'stays']);
    expect(await clientsOf('ledger_changes')).toEqual([]);
  });

  it('does not disturb anybody when it cannot be written', async () => {
    const { ledger, store } = setUp();
    await store[Symbol.asyncDispose]();
    ledger.listed(createContext(), 'mode direct', TOOLS);
    await expect(ledger.flush()).resolves.toBeUndefined();
  });
});

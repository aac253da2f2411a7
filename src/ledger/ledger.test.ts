import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { createContext } from '../../test/support/contexts.ts';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import type { Tokenizer } from '../lib/tokenizer.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import { createLedger } from './ledger.ts';
import { readLedger } from './read.ts';
import { createTokenCount } from './token-count.ts';

const TOOLS = [{ name: 'read', inputSchema: { type: 'object' } }];
const MORE = [...TOOLS, { name: 'write', inputSchema: { type: 'object' } }];
const DAY = 86_400_000;

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
  return { clock, store, counted, ledger, open, report };
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

  it('does not disturb anybody when it cannot be written', async () => {
    const { ledger, store } = setUp();
    await store[Symbol.asyncDispose]();
    ledger.listed(createContext(), 'mode direct', TOOLS);
    await expect(ledger.flush()).resolves.toBeUndefined();
  });
});

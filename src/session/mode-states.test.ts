import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import { createModeStates } from './mode-states.ts';
import { createStateRows } from './state-rows.ts';

const HOUR = 3_600_000;

function setUp() {
  const clock = createFakeClock();
  const store = createMemoryStore();
  const open = () => createModeStates(createStateRows(store, clock.now), clock.now);
  return { clock, open, states: open() };
}

const add = (word: string) => (now: object | undefined) => ({
  words: [...((now as { words?: string[] } | undefined)?.words ?? []), word],
});

describe('what modes remember', () => {
  it('is forgotten with the conversation where there is one', async () => {
    const { states } = setUp();
    const first = states.passing();
    await first.update('ann', add('a'));
    expect(await first.read('ann')).toEqual({ words: ['a'] });
    expect(await states.passing().read('ann')).toBeUndefined();
  });

  it('is kept apart by endpoint and caller, and found again after a restart', async () => {
    const { states, open } = setUp();
    await states.lasting('x', HOUR).update('ann', add('a'));
    const again = open();
    expect(await again.lasting('x', HOUR).read('ann')).toEqual({ words: ['a'] });
    expect(await again.lasting('y', HOUR).read('ann')).toBeUndefined();
    expect(await again.lasting('x', HOUR).read('bob')).toBeUndefined();
  });

  it('is forgotten when it was not used for its lifetime, and use keeps it', async () => {
    const { states, clock } = setUp();
    const state = states.lasting('x', HOUR);
    await state.update('ann', add('a'));
    for (let times = 0; times < 3; times++) {
      await clock.advance(HOUR * 0.9);
      expect(await state.read('ann')).toEqual({ words: ['a'] });
    }
    await clock.advance(HOUR * 1.1);
    expect(await state.read('ann')).toBeUndefined();
  });

  it('loses no change when many come at once', async () => {
    const { states } = setUp();
    const state = states.lasting('x', HOUR);
    const words = Array.from({ length: 20 }, (_, at) => `w${at}`);
    await Promise.all(words.map((word) => state.update('ann', add(word))));
    const kept = (await state.read('ann')) as { words: string[] };
    expect([...kept.words].sort()).toEqual([...words].sort());
  });

  it('tells those who show this caller that endpoint, and nobody else', async () => {
    const { states } = setUp();
    const told: string[] = [];
    states.lasting('x', HOUR).onChange('ann', () => told.push('ann at x'));
    states.lasting('y', HOUR).onChange('ann', () => told.push('ann at y'));
    states.lasting('x', HOUR).onChange('bob', () => told.push('bob at x'));
    const stop = states.lasting('x', HOUR).onChange('ann', () => told.push('gone'));
    stop();
    await states.lasting('x', HOUR).update('ann', add('a'));
    expect(told).toEqual(['ann at x']);
  });

  it('still tells who came later when somebody stops listening twice', async () => {
    const { states } = setUp();
    const told: string[] = [];
    const state = states.passing();
    const stop = state.onChange('ann', () => told.push('gone'));
    stop();
    state.onChange('ann', () => told.push('later'));
    stop();
    await state.update('ann', add('a'));
    expect(told).toEqual(['later']);
  });
});

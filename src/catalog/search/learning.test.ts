import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLearning, type LearningRules } from './learning.ts';

const DAY_MS = 86_400_000;

function openLearning(rules: Partial<LearningRules> = {}) {
  const time = { now: 1_000 * DAY_MS };
  const learning = createLearning({ now: () => time.now, ...rules });
  return {
    time,
    learning,
    observe: (who: string, words: string, key: string) =>
      learning.observe(who, words.split(' '), key, time.now),
  };
}

describe('learning', () => {
  it('speaks for the tool the same words led to', () => {
    const { learning, observe } = openLearning();
    observe('ann', 'book table tonight', 'dining:reserve');
    observe('ann', 'send mail bob', 'mail:send');
    expect(learning.boost('ann', ['book', 'table', 'tonight']).get('dining:reserve')).toBeGreaterThan(0.8);
    expect(learning.boost('ann', ['book', 'table', 'tonight']).has('mail:send')).toBe(false);
  });

  it('speaks less when fewer words are shared', () => {
    const { learning, observe } = openLearning();
    observe('ann', 'book table tonight', 'dining:reserve');
    observe('ann', 'read table sql', 'db:query');
    const boosts = learning.boost('ann', ['book', 'table', 'friday']);
    expect(boosts.get('dining:reserve') ?? 0).toBeGreaterThan(boosts.get('db:query') ?? 0);
    expect(boosts.get('dining:reserve')).toBeLessThan(1);
  });

  it('never tells one principal what another did', () => {
    const { learning, observe } = openLearning();
    observe('ann', 'book table', 'dining:reserve');
    expect(learning.boost('bob', ['book', 'table']).size).toBe(0);
  });

  it('fades with time and forgets in the end', () => {
    const { learning, observe, time } = openLearning();
    observe('ann', 'book table', 'dining:reserve');
    const boost = () => learning.boost('ann', ['book', 'table']).get('dining:reserve') ?? 0;
    const fresh = boost();
    time.now += 30 * DAY_MS;
    expect(boost()).toBeGreaterThan(0);
    expect(boost()).toBeLessThan(fresh * 0.6);
    time.now += 100 * DAY_MS;
    expect(learning.boost('ann', ['book', 'table']).size).toBe(0);
    expect(learning.toJSON()).toEqual({ ann: [] });
  });

  it('forgets the tools that are gone, and speaks for the others as if they had never been', () => {
    const { learning, observe } = openLearning();
    const { learning: untouched, observe: observeThere } = openLearning();
    for (const note of [observe, observeThere]) note('ann', 'book table', 'dining:reserve');
    observe('ann', 'book flight', 'travel:book');
    observe('bob', 'book flight', 'travel:book');
    learning.boost('ann', ['book']);
    learning.forget((key) => key.startsWith('travel:'));
    expect(learning.boost('ann', ['book'])).toEqual(untouched.boost('ann', ['book']));
    expect(learning.toJSON()).toEqual({ ...untouched.toJSON(), bob: [] });
  });

  it('comes back from what was stored', () => {
    const { learning, observe, time } = openLearning();
    observe('ann', 'book table', 'dining:reserve');
    const again = createLearning({ now: () => time.now }, JSON.parse(JSON.stringify(learning)));
    expect(again.boost('ann', ['book', 'table'])).toEqual(learning.boost('ann', ['book', 'table']));
  });

  it('clears one principal or all', () => {
    const { learning, observe } = openLearning();
    observe('ann', 'book', 'a');
    observe('bob', 'book', 'b');
    learning.clear('ann');
    expect(Object.keys(learning.toJSON())).toEqual(['bob']);
    learning.clear();
    expect(learning.toJSON()).toEqual({});
  });

  it('drops the oldest observation and the quietest principal at its bounds', () => {
    const { learning, observe } = openLearning({ maxPerPrincipal: 2, maxPrincipals: 2 });
    observe('ann', 'one', 'a');
    observe('ann', 'two', 'b');
    observe('ann', 'three', 'c');
    expect(learning.boost('ann', ['one']).size).toBe(0);
    observe('bob', 'one', 'a');
    observe('cid', 'one', 'a');
    expect(Object.keys(learning.toJSON())).toEqual(['bob', 'cid']);
  });

  it('gives boosts between 0 and 1 and stays within its bounds, whatever it is told', () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor'), { maxLength: 6 });
    fc.assert(
      fc.property(fc.array(fc.tuple(words, fc.constantFrom('k', 'l', '__proto__'))), words, (seen, asked) => {
        const { learning, time } = openLearning({ maxPerPrincipal: 5 });
        for (const [terms, key] of seen) learning.observe('ann', terms, key, time.now);
        for (const boost of learning.boost('ann', asked).values()) {
          expect(boost).toBeGreaterThanOrEqual(0);
          expect(boost).toBeLessThanOrEqual(1);
        }
        expect(learning.toJSON()['ann']?.length ?? 0).toBeLessThanOrEqual(5);
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFairTurns } from './fair-turns.ts';

/** Turns moved by hand. */
function setUp() {
  const planned: (() => void)[] = [];
  const begun: string[] = [];
  const turns = createFairTurns((run) => planned.push(run));
  return {
    begun,
    planned,
    take: (key: string, name = key) => turns.take(key, () => begun.push(name)),
    /** Everything else had its turn. */
    turn: () => planned.shift()?.(),
  };
}

const times = (count: number) => Array.from({ length: count }, (_, at) => at);

describe('requests', () => {
  it('begin at once while they are few', () => {
    const { take, begun } = setUp();
    for (const at of times(3)) take('a', `a${at}`);
    expect(begun).toHaveLength(3);
  });

  it('of a crowd leave the others a turn after some of them', () => {
    const { take, begun, turn } = setUp();
    for (const at of times(100)) take('crowd', `c${at}`);
    const first = begun.length;
    expect(first).toBeLessThan(50);
    turn();
    expect(begun.length).toBeGreaterThan(first);
    expect(begun.length).toBeLessThan(100);
  });

  it('of somebody else come next, however many of a crowd were there before', () => {
    const { take, begun, turn } = setUp();
    for (const _ of times(2_000)) take('crowd');
    take('other');
    turn();
    expect(begun).toContain('other');
  });

  it('begin at once again when a crowd is gone', () => {
    const { take, begun, turn, planned } = setUp();
    for (const _ of times(40)) take('crowd');
    while (planned.length > 0) turn();
    take('other');
    expect(begun.at(-1)).toBe('other');
  });

  it('all begin, each once, those of one key in their order, and nothing is planned afterwards', () => {
    const steps = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.constant(undefined)), {
      maxLength: 300,
    });
    fc.assert(
      fc.property(steps, (keys) => {
        const { take, begun, turn, planned } = setUp();
        const asked: string[] = [];
        for (const [at, key] of keys.entries()) {
          if (key === undefined) turn();
          else {
            asked.push(`${key}${at}`);
            take(key, `${key}${at}`);
          }
        }
        while (planned.length > 0) turn();
        for (const key of ['a', 'b', 'c'])
          expect(begun.filter((name) => name.startsWith(key))).toEqual(
            asked.filter((name) => name.startsWith(key)),
          );
      }),
    );
  });

  it('go on when one of them fails as it begins', () => {
    const planned: (() => void)[] = [];
    const turns = createFairTurns((run) => planned.push(run));
    const begun: number[] = [];
    for (const at of times(40))
      turns.take('a', () => {
        if (at === 20) throw new Error('broken');
        begun.push(at);
      });
    while (planned.length > 0) {
      try {
        planned.shift()?.();
      } catch {
        // It reaches whoever runs the turn, as it would have reached whoever began the request.
      }
    }
    expect(begun).toHaveLength(39);
  });
});

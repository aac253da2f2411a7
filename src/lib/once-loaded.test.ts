import { expect, it } from 'vitest';
import { onceLoaded } from './once-loaded.ts';

it('loads once, however many ask and however early', async () => {
  let loads = 0;
  const load = onceLoaded(async () => {
    loads += 1;
    return { loads };
  });
  expect(loads).toBe(0);
  const [first, second] = await Promise.all([load(), load()]);
  expect(first).toBe(second);
  expect(await load()).toBe(first);
  expect(loads).toBe(1);
});

it('tells a failure to those who waited for it, and tries again for the next', async () => {
  let loads = 0;
  const load = onceLoaded(async () => {
    loads += 1;
    if (loads === 1) throw new Error('too many open files');
    return 'loaded';
  });
  const outcomes = await Promise.allSettled([load(), load()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await load()).toBe('loaded');
  expect(loads).toBe(2);
});

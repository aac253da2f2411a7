import { expect, it } from 'vitest';
import { inRankOrder, toConditions } from './ranked.ts';

it('asks for what is given only', () => {
  expect(toConditions({ principal: 'ann', kind: undefined, size: 0 })).toEqual([
    { column: 'principal', is: '=', value: 'ann' },
    { column: 'size', is: '=', value: 0 },
  ]);
  expect(toConditions({ size: 3 }, '>=')).toEqual([{ column: 'size', is: '>=', value: 3 }]);
});

it('puts rows in the order they were ranked in, without those that are gone', async () => {
  const ranked = [3, 1, 2].map((id) => ({ id, score: 1 }));
  expect(await inRankOrder(ranked, async () => [{ id: 1 }, { id: 3 }])).toEqual([{ id: 3 }, { id: 1 }]);
});

it('reads nothing when nothing was found', async () => {
  const read = () => Promise.reject(new Error('read'));
  expect(await inRankOrder([], read)).toEqual([]);
});

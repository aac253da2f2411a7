import { describe, expect, it } from 'vitest';
import { openTestHouse } from '../../operations/test-house.contract.ts';
import { createShown } from '../house/shown.ts';
import { toNew } from './logs.ts';

describe('lines that are new', () => {
  it('are those after the ones seen before, however many were dropped at the front', () => {
    expect(toNew(['a', 'b'], ['a', 'b', 'c'])).toEqual(['c']);
    expect(toNew(['a', 'b', 'c'], ['b', 'c', 'd', 'e'])).toEqual(['d', 'e']);
    expect(toNew(['a'], ['x', 'y'])).toEqual(['x', 'y']);
    expect(toNew([], ['x'])).toEqual(['x']);
    expect(toNew(['a', 'b'], ['a', 'b'])).toEqual([]);
  });
});

it('what a server wrote is shown without secrets, and without marks that move the cursor', async () => {
  await using house = await openTestHouse({ env: { GIVEN: 'open-sesame-two' } });
  await (await house.secrets()).save('mine.TOKEN', 'open-sesame-one');
  const env = {
    TOKEN: `\${secret:mine.TOKEN}`,
    OTHER_TOKEN: `\${env:GIVEN}`,
    THIRD_KEY: 'open-sesame-three',
  };
  await house.config.edit(() => [{ path: ['mcpServers', 'mine'], value: { command: 'x', env } }]);
  const show = await createShown(house);
  expect(show('\u001b[2Jgot open-sesame-one, open-sesame-two and open-sesame-three')).toBe(
    '\\u{1b}[2Jgot (hidden), (hidden) and (hidden)',
  );
});

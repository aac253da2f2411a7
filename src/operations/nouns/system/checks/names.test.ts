import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openTestHouse, type TestHouse } from '../../../test-house.contract.ts';
import { names } from './names.ts';

async function openHouse(text: string): Promise<TestHouse> {
  const house = await openTestHouse();
  onTestFinished(() => house[Symbol.asyncDispose]());
  await mkdir(house.home, { recursive: true });
  await writeFile(join(house.home, 'thimble.jsonc'), text);
  return house;
}

it('warns of a name that no server has, and says nothing where all are known', async () => {
  const toText = (id: string) =>
    JSON.stringify({ exposure: { noun: { groups: { [id]: { note: false } } } } });
  expect(await names.look(await openHouse(toText('memry')))).toEqual([
    {
      about: 'names',
      verdict: 'warn',
      says: 'exposure.noun.groups.memry: no server has the id "memry" (did you mean "memory"?)',
      fix: expect.stringContaining('correct the name in'),
    },
  ]);
  expect(await names.look(await openHouse(toText('memory')))).toEqual([]);
});

it('leaves a configuration that cannot be used to its own check', async () => {
  expect(await names.look(await openHouse('{'))).toEqual([]);
});

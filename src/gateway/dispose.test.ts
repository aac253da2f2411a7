import { expect, it } from 'vitest';
import { disposeInTurn, disposeTogether } from './dispose.ts';

function setUp() {
  const ended: string[] = [];
  const part = (name: string, fails = false) => ({
    async [Symbol.asyncDispose]() {
      await Promise.resolve();
      ended.push(name);
      if (fails) throw new Error(`${name} will not end`);
    },
  });
  return { ended, part };
}

it('ends each part in its turn, and tells the first error when all had theirs', async () => {
  const { ended, part } = setUp();
  const plain = { [Symbol.dispose]: () => void ended.push('plain') };
  const parts = [part('a', true), plain, part('b', true), part('c')];
  await expect(disposeInTurn(parts)).rejects.toThrow('a will not end');
  expect(ended).toEqual(['a', 'plain', 'b', 'c']);
});

it('waits for every part that it ends at once, and tells the first error then', async () => {
  const { ended, part } = setUp();
  const throws = {
    [Symbol.asyncDispose](): Promise<void> {
      throw new Error('at once');
    },
  };
  await expect(disposeTogether([throws, part('a'), part('b', true)])).rejects.toThrow('at once');
  expect(ended).toEqual(['a', 'b']);
});

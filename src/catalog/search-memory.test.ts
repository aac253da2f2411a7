import { expect, it } from 'vitest';
import type { Entry } from './catalog.ts';
import { createSearchMemory } from './search-memory.ts';

const tool = (name: string, upstream = 'x') => ({ upstream, name }) as Entry;
const [a, b] = [tool('a'), tool('b')];

function setUp() {
  let now = 0;
  const lessons: string[] = [];
  const memory = createSearchMemory(
    () => now,
    (caller, query, entry) => lessons.push(`${caller}: ${query} -> ${entry.name}`),
  );
  return { memory, lessons, pass: (ms: number) => (now += ms) };
}

it('takes the latest search that showed the tool for the one that led to it', () => {
  const { memory, lessons } = setUp();
  memory.searched('me', 'first', [a]);
  memory.searched('me', 'second', [a, b]);
  memory.searched('me', 'third', [b]);
  memory.called('me', a);
  expect(lessons).toEqual(['me: second -> a']);
});

it('learns nothing from another caller, from a tool no search showed, or from long ago', () => {
  const { memory, lessons, pass } = setUp();
  memory.searched('me', 'words', [a]);
  memory.called('you', a);
  memory.called('me', b);
  pass(10 * 60_000 + 1);
  memory.called('me', a);
  expect(lessons).toEqual([]);
});

it('learns nothing twenty calls after the search', () => {
  const { memory, lessons } = setUp();
  memory.searched('me', 'words', [a]);
  for (let call = 0; call < 20; call++) memory.called('me', b);
  memory.called('me', a);
  expect(lessons).toEqual([]);
});

it('counts the calls since each search, though others came between', () => {
  const { memory, lessons } = setUp();
  memory.searched('me', 'words', [a]);
  for (let call = 0; call < 19; call++) memory.called('me', b);
  memory.searched('me', 'other', []);
  memory.called('me', a);
  memory.called('me', a);
  expect(lessons).toEqual(['me: words -> a']);
});

it('knows a tool again in the next snapshot, and not the same name of another server', () => {
  const { memory, lessons } = setUp();
  memory.searched('me', 'words', [a]);
  memory.called('me', tool('a', 'y'));
  memory.called('me', tool('a'));
  expect(lessons).toEqual(['me: words -> a']);
});

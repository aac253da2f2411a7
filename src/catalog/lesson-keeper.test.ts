import { expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import type { LessonRecord } from '../store/store.ts';
import { createLessonKeeper, forgetLessons } from './lesson-keeper.ts';

const lesson = { terms: ['issu'], key: 'github\0create', at: 1 };

it('writes once for many lessons, and at the end what was not written yet', async () => {
  const clock = createFakeClock();
  const { lessons } = createMemoryStore();
  const keeper = createLessonKeeper(lessons, true, clock);
  for (let round = 0; round < 10; round++) keeper.save(() => ({ local: [{ ...lesson, at: round }] }));
  expect(clock.waiting).toBe(1);
  await clock.advance(2_000);
  expect(await keeper.load()).toEqual({ local: [{ ...lesson, at: 9 }] });
  keeper.save(() => ({ local: [lesson] }));
  await keeper[Symbol.asyncDispose]();
  expect(await lessons.load()).toEqual({ local: [lesson] });
  expect(clock.waiting).toBe(0);
});

it('waits at the end for a write that is already running', async () => {
  const clock = createFakeClock();
  const { lessons } = createMemoryStore();
  let finish = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const slow = { ...lessons, save: (record: LessonRecord) => finished.then(() => lessons.save(record)) };
  const keeper = createLessonKeeper(slow, true, clock);
  keeper.save(() => ({ local: [lesson] }));
  await clock.advance(2_000);
  const ended = keeper[Symbol.asyncDispose]();
  finish();
  await ended;
  expect(await lessons.load()).toEqual({ local: [lesson] });
});

it('forgets what was learnt of one upstream, for everybody', async () => {
  const { lessons } = createMemoryStore();
  const other = { ...lesson, key: 'github-other\0create' };
  await lessons.save({ local: [lesson, other], guest: [lesson] });
  await forgetLessons(lessons, 'github');
  expect(await lessons.load()).toEqual({ local: [other], guest: [] });
});

it('forgets everything when it is switched off', async () => {
  const { lessons } = createMemoryStore();
  await lessons.save({ local: [lesson] });
  const keeper = createLessonKeeper(lessons, false, createFakeClock());
  expect(await keeper.load()).toEqual({});
  await expect.poll(() => lessons.load()).toEqual({});
});

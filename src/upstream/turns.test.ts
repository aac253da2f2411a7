import { expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createTurns } from './turns.ts';

const never = new AbortController().signal;

it('lets calls of one conversation run together and others wait until all of them are done', async () => {
  const turns = createTurns(createFakeClock(), 'asker');
  const order: string[] = [];
  const leaveFirst = await turns.enter('a', never);
  const leaveSecond = await turns.enter('a', never);
  const other = turns.enter('b', never).then((leave) => {
    order.push('b');
    return leave;
  });
  leaveFirst();
  await Promise.resolve();
  expect(order).toEqual([]);
  leaveSecond();
  (await other)();
  expect(order).toEqual(['b']);
});

it('serves conversations in the order they came', async () => {
  const turns = createTurns(createFakeClock(), 'asker');
  const leave = await turns.enter('a', never);
  const order: string[] = [];
  const runs = ['b', 'c', 'b'].map(async (name) => {
    const done = await turns.enter(name, never);
    order.push(name);
    done();
  });
  leave();
  await Promise.all(runs);
  expect(order).toEqual(['b', 'b', 'c']);
});

it('lets nobody starve behind a conversation that is always busy', async () => {
  const clock = createFakeClock();
  const turns = createTurns(clock, 'asker');
  const order: string[] = [];
  const leaves = [await turns.enter('a', never)];
  const other = turns.enter('b', never).then((leave) => {
    order.push('b');
    return leave;
  });
  await clock.advance(1_999);
  leaves.push(await turns.enter('a', never));
  await clock.advance(1);
  const late = turns.enter('a', never).then((leave) => {
    order.push('a');
    return leave;
  });
  await clock.advance(1_000);
  for (const leave of leaves) leave();
  const leaveOther = await other;
  await clock.advance(0);
  expect(order).toEqual(['b']);
  leaveOther();
  (await late)();
  expect(order).toEqual(['b', 'a']);
  expect(clock.waiting).toBe(0);
});

it('lets a conversation that was asked something make calls to find the answer, whoever waits', async () => {
  const clock = createFakeClock();
  const turns = createTurns(clock, 'asker');
  const leave = await turns.enter('a', never);
  const other = turns.enter('b', never);
  const question = turns.ask(never);
  await clock.advance(10_000);
  const leaveNested = await turns.enter('a', never);
  leaveNested();
  question.close();
  const late = turns.enter('a', never);
  leave();
  (await other)();
  (await late)();
});

it('lets nobody wait who has gone already', async () => {
  const clock = createFakeClock();
  const turns = createTurns(clock, 'asker');
  await turns.enter('a', never);
  await expect(turns.enter('b', AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  expect(clock.waiting).toBe(0);
});

it('lets go of one that gives up waiting', async () => {
  const turns = createTurns(createFakeClock(), 'asker');
  const leave = await turns.enter('a', never);
  const impatient = new AbortController();
  const waiting = turns.enter('b', impatient.signal);
  const patient = turns.enter('c', never);
  impatient.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  leave();
  await patient;
});

it('counts those who were there before anybody had to take turns', async () => {
  const turns = createTurns(createFakeClock(), 'asker');
  const leave = turns.join('a');
  let entered = false;
  const waiting = turns.enter('b', never).then(() => {
    entered = true;
  });
  await Promise.resolve();
  expect(entered).toBe(false);
  leave();
  await waiting;
});

it('tells one that waits behind an unanswered question what to do', async () => {
  const clock = createFakeClock();
  const turns = createTurns(clock, 'asker');
  turns.join('a');
  const waiting = expect(turns.enter('b', never)).rejects.toThrow('set "interactive": "per-session"');
  await clock.advance(30_000);
  await waiting;
  expect(clock.waiting).toBe(0);
});

it('takes a question back that stayed open for a minute while somebody waits', async () => {
  const clock = createFakeClock();
  const turns = createTurns(clock, 'asker');
  const leave = turns.join('a');
  const question = turns.ask(never);
  await clock.advance(50_000);
  const waiting = turns.enter('b', never);
  await clock.advance(9_999);
  expect(question.isTakenBack).toBe(false);
  await clock.advance(1);
  expect([question.isTakenBack, question.signal.aborted]).toEqual([true, true]);
  leave();
  (await waiting)();
  expect(clock.waiting).toBe(0);
});

it('takes an old question back as soon as somebody comes, and leaves it alone until then', async () => {
  const clock = createFakeClock();
  const turns = createTurns(clock, 'asker');
  turns.join('a');
  const question = turns.ask(never);
  await clock.advance(500_000);
  expect(question.signal.aborted).toBe(false);
  const gone = new AbortController();
  turns.enter('b', gone.signal).catch(() => {});
  expect(question.isTakenBack).toBe(true);
  gone.abort(new Error('enough'));
  await clock.advance(0);
  expect(clock.waiting).toBe(0);
});

it('says when the question of another will be taken back', async () => {
  const clock = createFakeClock();
  const turns = createTurns(clock, 'asker');
  turns.join('a');
  turns.ask(never);
  const waiting = expect(turns.enter('b', never)).rejects.toMatchObject({
    code: 'TOO_BUSY',
    data: { retryInMs: 30_000 },
  });
  await clock.advance(30_000);
  await waiting;
});

it('forgets a question that was answered or withdrawn by the server', async () => {
  const clock = createFakeClock();
  const turns = createTurns(clock, 'asker');
  turns.join('a');
  const answered = turns.ask(never);
  const server = new AbortController();
  const withdrawn = turns.ask(server.signal);
  answered.close();
  server.abort(new Error('never mind'));
  expect(withdrawn.signal.reason).toEqual(new Error('never mind'));
  withdrawn.close();
  const gone = new AbortController();
  turns.enter('b', gone.signal).catch(() => {});
  await clock.advance(20_000);
  expect([answered.isTakenBack, withdrawn.isTakenBack]).toEqual([false, false]);
});

import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { createCancel } from './cancel.ts';
import { createWaitingLine, type Waiter } from './waiting-line.ts';

interface Named extends Waiter<string> {
  readonly name: string;
}

function setUp() {
  const clock = createFakeClock();
  const line = createWaitingLine<string, Named>(clock);
  const taken: string[] = [];
  const wait = (name: string, signal = createCancel().signal, limitMs = 1_000) =>
    line.wait({
      name,
      signal,
      limitMs,
      take() {
        taken.push(name);
        return name;
      },
      toLateError: () => new Error(`${name} came too late, before ${line.size}`),
    });
  return { clock, line, taken, wait };
}

describe('a waiting line', () => {
  it('lets go in the order of coming, and in the same moment', async () => {
    const { line, taken, wait } = setUp();
    const all = ['a', 'b', 'c'].map((name) => wait(name));
    expect([line.size, line.first?.name]).toEqual([3, 'a']);
    line.admitFirst();
    line.admitFirst();
    expect([taken, line.first?.name]).toEqual([['a', 'b'], 'c']);
    line.admitFirst();
    line.admitFirst();
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
    expect([line.size, line.first]).toEqual([0, undefined]);
  });

  it('lets all go who are meant, and keeps the others in their order', async () => {
    const { line, taken, wait } = setUp();
    for (const name of ['a1', 'b1', 'a2', 'b2']) void wait(name);
    line.admitAll(({ name }) => name.startsWith('a'));
    expect(taken).toEqual(['a1', 'a2']);
    line.admitFirst();
    line.admitFirst();
    expect(taken).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  it('keeps nobody longer than they may or wish, and forgets them', async () => {
    const { clock, line, taken, wait } = setUp();
    const impatient = createCancel();
    const late = expect(wait('late')).rejects.toThrow('late came too late, before 1');
    const left = expect(wait('left', impatient.signal)).rejects.toThrow('enough');
    const patient = wait('patient', undefined, 5_000);
    impatient.abort(new Error('enough'));
    await left;
    await clock.advance(1_000);
    await late;
    line.admitFirst();
    expect(await patient).toBe('patient');
    expect([taken, line.size, clock.waiting]).toEqual([['patient'], 0, 0]);
  });

  it('does not take in whoever has gone already', async () => {
    const { clock, line, wait } = setUp();
    const gone = createCancel();
    gone.abort(new Error('gone'));
    await expect(wait('a', gone.signal)).rejects.toThrow('gone');
    expect([line.size, clock.waiting]).toEqual([0, 0]);
  });
});

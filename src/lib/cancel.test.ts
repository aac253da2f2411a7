import { expect, it } from 'vitest';
import { createCancel } from './cancel.ts';

it('tells its listeners once, with the first reason', () => {
  const cancel = createCancel();
  let told = 0;
  cancel.signal.addEventListener('abort', () => told++);
  cancel.abort('first');
  cancel.abort('second');
  expect(told).toBe(1);
  expect(cancel.signal).toMatchObject({ aborted: true, reason: 'first' });
  expect(() => cancel.signal.throwIfAborted()).toThrow('first');
});

it('lets a listener leave, even while others are told', () => {
  const { signal, abort } = bind(createCancel());
  const told: string[] = [];
  const leave = () => told.push('left');
  signal.addEventListener('abort', () => signal.removeEventListener('abort', leave));
  signal.addEventListener('abort', () => told.push('stayed'));
  signal.addEventListener('abort', leave);
  signal.removeEventListener('abort', leave);
  abort('now');
  expect(told).toEqual(['stayed']);
});

function bind(cancel: ReturnType<typeof createCancel>) {
  return { signal: cancel.signal, abort: (reason: unknown) => cancel.abort(reason) };
}

import { expect, it } from 'vitest';
import { createMemoryStore } from '../../store/memory-store.ts';
import { openRunning } from './running.ts';

it('remembers where a process serves HTTP, or that it does not', async () => {
  const running = openRunning(createMemoryStore());
  const row = { pid: 1, command: 'serve', started_at: '2026-01-01T00:00:00.000Z' };
  await running.add({ ...row, address: 'a', url: 'http://127.0.0.1:7420' });
  await running.add({ ...row, address: 'b', command: 'stdio', url: null });
  expect((await running.list()).map(({ url }) => url)).toEqual(['http://127.0.0.1:7420', null]);
  await running.remove('a');
  expect((await running.list()).map(({ address }) => address)).toEqual(['b']);
});

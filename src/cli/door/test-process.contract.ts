/** A process that runs servers, as others of the home meet it, for tests: it answers whatever it is told to. */
import { join } from 'node:path';
import { openStore } from '../../store/open.ts';
import { openRunning } from './running.ts';
import { listen, readLine } from './socket.ts';

/** One that can be asked. */
export interface TestProcess extends AsyncDisposable {
  readonly address: string;
  /** What it was asked, in order. */
  readonly asked: unknown[];
}

/** Opens one in a home; a text that is answered is sent as it is, undefined hangs up without a word, and `never` waits for ever. */
export async function openTestProcess(
  home: string,
  toAnswer: (question: unknown) => object | string | undefined | 'never',
): Promise<TestProcess> {
  const listening = await listen(home);
  const asked: unknown[] = [];
  listening.onConnection((socket) => {
    socket.on('error', () => {});
    void readLine(socket, 60_000, 10_000).then((question) => {
      asked.push(question);
      const answer = toAnswer(question);
      if (answer === 'never') return;
      if (answer !== undefined)
        socket.write(typeof answer === 'string' ? answer : `${JSON.stringify(answer)}\n`);
      socket.end();
    });
  });
  await using store = await openStore(join(home, 'thimble.db'));
  const row = { pid: 4_711, command: 'serve', started_at: '2026-11-16T12:00:00.000Z', url: null };
  await openRunning(store).add({ ...row, address: listening.address });
  return { address: listening.address, asked, [Symbol.asyncDispose]: () => listening.close() };
}

/** A server as such a process tells of it. */
export function toldServer(id: string, more: object = {}): object {
  const counts = { calls: 0, running: 0, queued: 0, restarts: 0 };
  return { id, state: 'online', says: 'is online', ...counts, ...more };
}

/** Asks every process of a home about its servers. */
import { join } from 'node:path';
import type * as z from 'zod';
import type { Store } from '../../store/store.ts';
import { ANSWER, type QUESTION, type ToldServer } from './questions.ts';
import { openRunning, openSharedStore, type RunningProcess } from './running.ts';
import { reach, readLine, removeSocket, say } from './socket.ts';

/** What one process told. */
export interface ToldProcess extends RunningProcess {
  readonly servers: readonly ToldServer[];
  /** Why it told nothing: it does not answer, or could not do what was asked. */
  readonly problem?: string;
}

/** What may be asked. */
export type Question = z.infer<typeof QUESTION>;

/** What came of asking one process. */
type Told =
  | { readonly is: 'told'; readonly servers: readonly ToldServer[] }
  | { readonly is: 'silent'; readonly problem: string }
  /** Nobody is at its address any more. */
  | { readonly is: 'gone' };

/** A restart may take as long as a server does to start. */
const PATIENCE_MS: Readonly<Record<Question['ask'], number>> = { status: 10_000, restart: 120_000 };
const ANSWER_LIMIT = 4 * 1_024 * 1_024;

/** Asks all processes of a home. */
export async function askAll(
  home: string,
  env: Readonly<Record<string, string | undefined>>,
  question: Question,
): Promise<readonly ToldProcess[]> {
  await using store = await openSharedStore(join(home, 'thimble.db'), env);
  return store ? await askProcesses(store, question) : [];
}

/** Asks all that are noted in a store; those that are gone are forgotten, those that do not answer are not. */
export async function askProcesses(
  store: Pick<Store, 'tables'>,
  question: Question,
  patienceMs = PATIENCE_MS[question.ask],
): Promise<readonly ToldProcess[]> {
  const running = openRunning(store);
  const processes = await running.list();
  const told = await Promise.all(
    processes.map(async (process): Promise<readonly ToldProcess[]> => {
      const answer = await askOne(process.address, question, patienceMs);
      if (answer.is === 'told') return [{ ...process, servers: answer.servers }];
      if (answer.is === 'silent') return [{ ...process, servers: [], problem: answer.problem }];
      await running.remove(process.address);
      // What cannot be removed harms nobody.
      await removeSocket(process.address).catch(() => {});
      return [];
    }),
  );
  return told.flat();
}

async function askOne(address: string, question: Question, patienceMs: number): Promise<Told> {
  const socket = await reach(address);
  if (socket === 'gone') return { is: 'gone' };
  if (typeof socket === 'string') return SILENT;
  try {
    say(socket, question);
    const answer = ANSWER.safeParse(await readLine(socket, patienceMs, ANSWER_LIMIT));
    if (!answer.success) return SILENT;
    if ('error' in answer.data) return { is: 'silent', problem: `could not do it: ${answer.data.error}` };
    return { is: 'told', servers: answer.data.servers };
  } finally {
    socket.destroy();
  }
}

const SILENT: Told = {
  is: 'silent',
  problem: 'gave no answer that could be understood; it is busy, stuck or of another version',
};

/** Asks every process of a home about its servers. */
import { join } from 'node:path';
import type * as z from 'zod';
import type { Store } from '../../store/store.ts';
import { ANSWER, type QUESTION, type ToldServer } from './questions.ts';
import { openRunning, openSharedStore, type RunningProcess } from './running.ts';
import { connect, readLine, say } from './socket.ts';

/** What one process told. */
export interface ToldProcess extends RunningProcess {
  readonly servers: readonly ToldServer[];
}

/** A restart may take as long as a server does to start. */
const PATIENCE_MS = 120_000;
const ANSWER_LIMIT = 4 * 1_024 * 1_024;

/** Asks all processes of a home. */
export async function askAll(
  home: string,
  env: Readonly<Record<string, string | undefined>>,
  question: z.infer<typeof QUESTION>,
): Promise<readonly ToldProcess[]> {
  await using store = await openSharedStore(join(home, 'thimble.db'), env);
  return store ? await askProcesses(store, question) : [];
}

/** Asks all that are noted in a store; those that are gone are forgotten. */
export async function askProcesses(
  store: Pick<Store, 'tables'>,
  question: z.infer<typeof QUESTION>,
): Promise<readonly ToldProcess[]> {
  const running = openRunning(store);
  const processes = await running.list();
  const told = await Promise.all(
    processes.map(async (process) => {
      const servers = await askOne(process.address, question);
      if (!servers) await running.remove(process.address);
      return servers ? [{ ...process, servers }] : [];
    }),
  );
  return told.flat();
}

async function askOne(
  address: string,
  question: z.infer<typeof QUESTION>,
): Promise<readonly ToldServer[] | undefined> {
  const socket = await connect(address);
  if (!socket) return undefined;
  try {
    say(socket, question);
    const answer = ANSWER.safeParse(await readLine(socket, PATIENCE_MS, ANSWER_LIMIT));
    return answer.success ? answer.data.servers : undefined;
  } finally {
    socket.destroy();
  }
}

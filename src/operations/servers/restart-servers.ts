/** Restarts the servers that run from this home, and says for each process what became of them there. */
import * as z from 'zod';
import { MANAGE } from '../../config/builtin-servers.ts';
import type { House, RunningServer } from '../house.ts';
import type { Plan } from '../operation.ts';
import { type Hide, readHide } from '../secrets/kept-values.ts';
import { few } from '../shown/words.ts';
import { isResting, isWell } from './pick-process.ts';

/** A server after a restart, in one of the processes that have it. */
const RESTARTED = z.object({
  name: z.string(),
  /** The process, as people are told of it. */
  process: z.string().optional(),
  /** What was done there: where it rests it is left alone; not known of a process that did not answer. */
  did: z.enum(['restarted', 'left']).optional(),
  state: z.string(),
  /** How it stands and what comes next, as the end of a sentence that begins with its name. */
  says: z.string(),
  ok: z.boolean(),
});

/** A server after a restart, in one process. */
export type Restarted = z.output<typeof RESTARTED>;

/** The servers of this home by whether a restart is for them; ids, sorted, each once. */
export interface Live {
  /** Those that run or should. */
  readonly ids: readonly string[];
  /** Those of which nothing runs in any process. */
  readonly resting: readonly string[];
}

/** Looks which servers a restart is for. */
export async function listLive({ running }: Pick<House, 'running'>): Promise<Live> {
  // What carries out the restart, when an agent asks for one, is not cut off by it.
  const servers = (await running.servers()).filter(({ id }) => id !== MANAGE);
  const ids = new Set(servers.filter((server) => !isResting(server)).map(({ id }) => id));
  const resting = new Set(servers.map(({ id }) => id).filter((id) => !ids.has(id)));
  return { ids: [...ids].sort(), resting: [...resting].sort() };
}

/** What is said of those that were left alone; no line where there are none. */
export function sayResting(resting: readonly string[]): readonly string[] {
  if (resting.length === 0) return [];
  return [`Left alone, since nothing of ${resting.length === 1 ? 'it' : 'them'} runs: ${few(resting)}.`];
}

/** What a restart answers. */
export const RESTART_OUTPUT = {
  servers: z.array(RESTARTED),
  /** Those that were left alone, since nothing of them runs. */
  resting: z.array(z.string()),
};

/** The plan of a restart, with what else is done; there is one also where nothing runs, since something may by the time it is done. */
export function toRestartPlan(summary: string, ids: readonly string[], more: readonly string[] = []): Plan {
  const details = [...ids.map((id) => `end ${id} and start it again; calls in flight are cut`), ...more];
  return { summary, details: details.length > 0 ? details : ['nothing of it runs now, so nothing is ended'] };
}

/** Restarts servers one after the other, and tells how far it is. */
export async function restartAll(ids: readonly string[], house: House): Promise<readonly Restarted[]> {
  const done: Restarted[] = [];
  for (const [at, id] of ids.entries()) {
    house.signal.throwIfAborted();
    house.tell(`restarting ${id} (${at + 1} of ${ids.length})`);
    const after = await restartOne(id, house);
    done.push(...(after.length > 0 ? after : [toGone(id)]));
  }
  return done;
}

/** Restarts one server wherever it runs; empty when every process said that it does not have it. */
export async function restartOne(id: string, house: House): Promise<readonly Restarted[]> {
  const hide = await readHide(house);
  return (await house.running.restart(id)).map((one) => toRestarted(one, hide));
}

/** One line about each server, with the process where there are several. */
export function toLines(servers: readonly Restarted[]): readonly string[] {
  const several = new Set(servers.map(({ process }) => process)).size > 1;
  return servers.map(({ name, state, says, did, process }) => {
    const where = several ? process : undefined;
    const notes = [did && DID[did], where].filter((note) => note !== undefined);
    const line = `${name} ${says === '' ? `is ${state}` : says}`;
    return notes.length === 0 ? line : `${line} (${notes.join(' by ')})`;
  });
}

const DID = { restarted: 'restarted', left: 'left alone' } as const;

function toRestarted(server: RunningServer, hide: Hide): Restarted {
  const { id, state, did, process } = server;
  return {
    name: id,
    ...(process && { process: `thimble ${process.command}, process ${process.pid}` }),
    ...(did && { did }),
    state,
    says: hide(server.says),
    ok: isWell(server),
  };
}

function toGone(id: string): Restarted {
  return { name: id, state: 'gone', says: 'is not running any more', ok: false };
}

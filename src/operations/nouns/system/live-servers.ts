/** The servers that run from this home, each once, and what a restart made of them. */
import * as z from 'zod';
import { MANAGE } from '../../../config/builtin-servers.ts';
import type { House, RunningServer } from '../../house.ts';
import { type Hide, readHide } from '../../secrets/kept-values.ts';

/** A server after a restart. */
export const RESTARTED = z.object({
  name: z.string(),
  state: z.string(),
  /** How it stands and what comes next, as the end of a sentence that begins with its name. */
  says: z.string(),
  ok: z.boolean(),
});

/** A server after a restart. */
export type Restarted = z.output<typeof RESTARTED>;

/** Of these nothing runs, and nothing would run better after a restart. */
const RESTING: ReadonlySet<string> = new Set(['idle', 'disabled']);

/** The ids of the servers that run or should, sorted; one may run in several processes. */
export async function listLive({ running }: House): Promise<readonly string[]> {
  // What carries out the restart, when an agent asks for one, is not cut off by it.
  const live = (await running.servers()).filter(({ id, state }) => id !== MANAGE && !RESTING.has(state));
  return [...new Set(live.map(({ id }) => id))].sort();
}

/** Restarts servers one after the other, and tells how far it is. */
export async function restartAll(ids: readonly string[], house: House): Promise<readonly Restarted[]> {
  const hide = await readHide(house);
  const done: Restarted[] = [];
  for (const [at, id] of ids.entries()) {
    house.signal.throwIfAborted();
    house.tell(`restarting ${id} (${at + 1} of ${ids.length})`);
    done.push(toRestarted(id, await house.running.restart(id), hide));
  }
  return done;
}

/** One line about a server. */
export function toLine({ name, says, state }: Restarted): string {
  return `${name} ${says === '' ? `is ${state}` : says}`;
}

/** The worst of the processes counts. */
function toRestarted(id: string, servers: readonly RunningServer[], hide: Hide): Restarted {
  const failed = servers.find(({ state }) => state !== 'online' && state !== 'idle');
  const shown = failed ?? servers[0];
  if (!shown) return { name: id, state: 'gone', says: 'is not running any more', ok: false };
  const { state, says, lastError } = shown;
  const reason = failed && lastError ? ` (${lastError.message})` : '';
  return { name: id, state, says: hide(`${says}${reason}`.trim()), ok: !failed };
}

/** Remembers which upstream runs a task, so that asking after it finds the way; only who started it finds it. */
import type { UpstreamId } from '../model/ids.ts';
import type { Principal } from '../model/principal.ts';

/** Tasks of all principals. */
export interface TaskOwners {
  remember(principal: Principal, taskId: string, upstream: UpstreamId): void;
  find(principal: Principal, taskId: string): UpstreamId | undefined;
}

/** The oldest are forgotten beyond this many. */
const MAX_TASKS = 10_000;

/** Creates an empty memory of tasks. */
export function createTaskOwners(): TaskOwners {
  const owners = new Map<string, UpstreamId>();
  const toKey = (principal: Principal, taskId: string) => `${principal.id}\0${taskId}`;
  return {
    remember(principal, taskId, upstream) {
      owners.set(toKey(principal, taskId), upstream);
      const [oldest] = owners.keys();
      if (owners.size > MAX_TASKS && oldest !== undefined) owners.delete(oldest);
    },
    find: (principal, taskId) => owners.get(toKey(principal, taskId)),
  };
}

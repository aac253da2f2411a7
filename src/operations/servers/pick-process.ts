/** Which process counts where several have the same server, and what its state means. */
import { findState } from '../../upstream/states.ts';
import type { UpstreamConfig } from '../../upstream/upstream.ts';
import type { RunningServer } from '../house.ts';

/** True when nobody has to do anything about it; a state this version does not know is looked at. */
export function isWell({ state }: Pick<RunningServer, 'state'>): boolean {
  return findState(state)?.well ?? false;
}

/** True when nothing of it runs that a restart could mend, for all or for single clients. */
export function isResting({ state, scopes = 0 }: Pick<RunningServer, 'state' | 'scopes'>): boolean {
  return scopes === 0 && (findState(state)?.resting ?? false);
}

/** The process in trouble counts, then one that has it running, then the first. */
export function pickProcess(servers: readonly RunningServer[]): RunningServer | undefined {
  return (
    servers.find((server) => !isWell(server)) ?? servers.find((server) => !isResting(server)) ?? servers[0]
  );
}

/** Every server once, by its id. */
export function pickEach(servers: readonly RunningServer[]): ReadonlyMap<string, RunningServer> {
  const ids = [...new Set(servers.map(({ id }) => id))];
  const picked = ids.flatMap((id) => pickProcess(servers.filter((server) => server.id === id)) ?? []);
  return new Map(picked.map((server) => [server.id, server]));
}

/** What a person does about a server in trouble. */
export function toNextStep({
  id,
  kind,
  state,
}: Pick<UpstreamConfig, 'id' | 'kind'> & Pick<RunningServer, 'state'>): string {
  if (state === 'needs_auth') return `log in with thimble login ${id}`;
  if (state === 'awaiting_config') return `give it what it lacks with thimble server edit ${id}`;
  // Only a program of this machine writes lines that can be read.
  return kind === 'stdio' ? `see thimble server logs ${id}` : `try it with thimble server test ${id}`;
}

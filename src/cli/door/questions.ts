/** What can be asked of a process that runs servers, and what it answers. */
import * as z from 'zod';
import type { Gateway } from '../../gateway.ts';
import { STATES, toNextState } from '../../upstream/states.ts';
import type { Upstream } from '../../upstream/upstream.ts';

/** Who asks about servers; the upstream is left out to mean all. */
export const QUESTION = z.object({
  ask: z.enum(['status', 'restart']),
  upstream: z.string().max(100).optional(),
  /** True when what servers wrote to stderr is wanted too; it may be long. */
  stderr: z.boolean().optional(),
});

/** One server as it stands. */
const SERVER = z.object({
  id: z.string(),
  state: z.string(),
  says: z.string(),
  pid: z.number().optional(),
  uptimeMs: z.number().optional(),
  calls: z.number(),
  running: z.number(),
  queued: z.number(),
  restarts: z.number(),
  memoryBytes: z.number().optional(),
  /** How many instances run for single clients; left out by versions that do not tell. */
  scopes: z.number().optional(),
  lastError: z.object({ message: z.string(), agoMs: z.number() }).optional(),
  stderr: z.array(z.string()).default([]),
  /** What was done about it when a restart was asked for. */
  did: z.enum(['restarted', 'left']).optional(),
});

/** The servers that were meant. */
const SERVERS = z.object({ servers: z.array(SERVER) });

/** The answer: the servers that were meant, or why it could not be done. */
export const ANSWER = z.union([SERVERS, z.object({ error: z.string() })]);

/** A server as it is told of. */
export type ToldServer = z.infer<typeof SERVER>;

/** Answers; a restart is over when the answer comes. */
export async function answerQuestion(
  { ask, upstream, stderr = false }: z.infer<typeof QUESTION>,
  { upstreams, refresh }: Pick<Gateway, 'upstreams' | 'refresh'>,
): Promise<z.infer<typeof SERVERS>> {
  const listMeant = () =>
    upstreams.all.filter(
      ({ config }) => config.enabled && (upstream === undefined || config.id === upstream),
    );
  if (ask === 'status') return { servers: await Promise.all(listMeant().map((one) => toTold(one, stderr))) };
  // Looked at before values are read anew: a server that gets another one is replaced by one that rests.
  const live = await listLive(listMeant());
  await refresh();
  const servers = listMeant().map(async (one) => {
    const isDue = live.has(one.config.id) && toNextState(one.state.is, 'restart') !== undefined;
    if (isDue) await one.restart('asked for by a person');
    return { ...(await toTold(one, stderr)), did: isDue ? 'restarted' : 'left' } as const;
  });
  return { servers: await Promise.all(servers) };
}

/** The servers of which something runs or should, for all or for single clients. */
async function listLive(servers: readonly Upstream[]): Promise<ReadonlySet<string>> {
  const looked = servers.map(async (one) => {
    const { state, scopes } = await one.status();
    return STATES[state.is].resting && scopes === 0 ? [] : [one.config.id];
  });
  return new Set((await Promise.all(looked)).flat());
}

async function toTold(one: Upstream, withStderr: boolean): Promise<ToldServer> {
  const { state, badLines: _badLines, stderr, ...status } = await one.status();
  const { scopes } = status;
  const isOnlyTheirs = STATES[state.is].resting && scopes > 0;
  const says = isOnlyTheirs ? `runs for single clients only (${scopes})` : status.says;
  return { id: one.config.id, ...status, says, state: state.is, stderr: withStderr ? [...stderr] : [] };
}

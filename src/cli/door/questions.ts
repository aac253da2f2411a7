/** What can be asked of a process that runs servers, and what it answers. */
import * as z from 'zod';
import type { Gateway } from '../../gateway.ts';

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
  lastError: z.object({ message: z.string(), agoMs: z.number() }).optional(),
  stderr: z.array(z.string()).default([]),
});

/** The servers that were meant. */
const SERVERS = z.object({ servers: z.array(SERVER) });

/** The answer: the servers that were meant, or why it could not be done. */
export const ANSWER = z.union([SERVERS, z.object({ error: z.string() })]);

/** A server as it is told of. */
export type ToldServer = z.infer<typeof SERVER>;

/** Answers; a restart is over when the answer comes. */
export async function answerQuestion(
  { ask, upstream, stderr: wantsStderr = false }: z.infer<typeof QUESTION>,
  { upstreams, refresh }: Pick<Gateway, 'upstreams' | 'refresh'>,
): Promise<z.infer<typeof SERVERS>> {
  // A value that was changed since the start should be what a server is started with.
  if (ask === 'restart') await refresh();
  const meant = upstreams.all.filter(
    ({ config }) => config.enabled && (upstream === undefined || config.id === upstream),
  );
  if (ask === 'restart') await Promise.all(meant.map((one) => one.restart('asked for by a person')));
  const servers = meant.map(async (one): Promise<ToldServer> => {
    const { state, scopes: _scopes, badLines: _badLines, ...status } = await one.status();
    const { stderr, ...rest } = status;
    return { id: one.config.id, ...rest, state: state.is, stderr: wantsStderr ? [...stderr] : [] };
  });
  return { servers: await Promise.all(servers) };
}

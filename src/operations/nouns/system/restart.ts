/** `system restart`: one running server or all of them, with the configuration and secrets as they are now. */
import * as z from 'zod';
import type { House } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { findConfigured } from '../../servers/server-entries.ts';
import { listLive, RESTARTED, restartAll, toLine } from './live-servers.ts';

/** Restarts servers. */
export const restart = defineOperation({
  noun: 'system',
  verb: 'restart',
  summary: 'restart one running server or all, with secrets read anew',
  input: z.object({ name: z.string().min(1).max(200).optional().describe('server; all without') }),
  output: z.object({ servers: z.array(RESTARTED) }),
  effects: 'acts',
  words: ['name'],
  formerly: ['restart_service'],
  examples: [{}, { name: 'memory' }],
  async plan({ name }, house) {
    const ids = await findMeant(name, house);
    if (ids.length === 0) return undefined;
    return {
      summary: name === undefined ? 'restart every running server' : `restart ${ids.join(', ')}`,
      details: ids.map((id) => `end ${id} and start it again; calls in flight are cut`),
    };
  },
  async run({ name }, house) {
    return { servers: [...(await restartAll(await findMeant(name, house), house))] };
  },
  succeeded: ({ servers }) => servers.every(({ ok }) => ok),
  toText({ servers }) {
    if (servers.length === 0)
      return 'Nothing is running, so nothing was restarted; servers start when they are first called.';
    return servers.map(toLine).join('\n');
  },
});

/** A server that somebody named is started even when it rests. */
async function findMeant(name: string | undefined, house: House): Promise<readonly string[]> {
  if (name === undefined) return listLive(house);
  const { id } = findConfigured(await house.config.read(), name);
  return (await house.running.servers(id)).length > 0 ? [id] : [];
}

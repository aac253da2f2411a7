/** `system restart`: one running server or all of them, with the configuration and secrets as they are now. */
import * as z from 'zod';
import { GatewayError } from '../../../errors/gateway-error.ts';
import type { House } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { findNamed } from '../../servers/find-named.ts';
import {
  type Live,
  listLive,
  RESTART_OUTPUT,
  restartAll,
  sayResting,
  toLine,
  toRestartDetails,
} from '../../servers/restart-servers.ts';
import { few } from '../../shown/words.ts';

/** Restarts servers. */
export const restart = defineOperation({
  noun: 'system',
  verb: 'restart',
  summary: 'restart one running server or all, with secrets read anew',
  input: z.object({ name: z.string().min(1).max(200).optional().describe('server; all without') }),
  output: z.object(RESTART_OUTPUT),
  effects: 'acts',
  words: ['name'],
  formerly: ['restart_service'],
  examples: [{}, { name: 'memory' }],
  async plan({ name }, house) {
    const { ids } = await findMeant(name, house);
    if (ids.length === 0) return undefined;
    return {
      summary: name === undefined ? 'restart every running server' : `restart ${ids.join(', ')}`,
      details: toRestartDetails(ids),
    };
  },
  async run({ name }, house) {
    const { ids, resting } = await findMeant(name, house);
    return { servers: [...(await restartAll(ids, house))], resting: [...resting] };
  },
  succeeded: ({ servers }) => servers.every(({ ok }) => ok),
  toText({ servers, resting }) {
    if (servers.length > 0) return [...servers.map(toLine), ...sayResting(resting)].join('\n');
    if (resting.length === 0) return 'No server is running, so nothing was restarted.';
    return `Nothing of ${few(resting)} is running, so nothing was restarted; servers start when they are first called.`;
  },
});

/** A server that somebody named is started even when it rests. */
async function findMeant(name: string | undefined, house: House): Promise<Live> {
  if (name === undefined) return listLive(house);
  const { id, enabled } = await findNamed(name, house);
  if (!enabled)
    throw new GatewayError(
      'UPSTREAM_DISABLED',
      `${id} is switched off; switch it on with thimble server enable ${id}`,
    );
  const isThere = (await house.running.servers(id)).length > 0;
  return isThere ? { ids: [id], resting: [] } : { ids: [], resting: [id] };
}

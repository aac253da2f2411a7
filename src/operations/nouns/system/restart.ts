/** `system restart`: one running server or all of them, with the configuration and secrets as they are now. */
import * as z from 'zod';
import { GatewayError } from '../../../errors/gateway-error.ts';
import type { House } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { findNamed } from '../../servers/find-named.ts';
import { isResting } from '../../servers/pick-process.ts';
import {
  type Live,
  listLive,
  RESTART_OUTPUT,
  restartAll,
  sayResting,
  toLines,
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
    const { ids, resting } = await findMeant(name, house);
    const cut = ids.filter((id) => !resting.includes(id));
    if (cut.length === 0) return undefined;
    return {
      summary: name === undefined ? 'restart every running server' : `restart ${cut.join(', ')}`,
      details: toRestartDetails(cut),
    };
  },
  async run({ name }, house) {
    const { ids, resting } = await findMeant(name, house);
    const servers = await restartAll(ids, house);
    return { servers: [...servers], resting: resting.filter((id) => !ids.includes(id)) };
  },
  succeeded: ({ servers }) => servers.every(({ ok }) => ok),
  toText({ servers, resting }) {
    if (servers.length > 0) return [...toLines(servers), ...sayResting(resting)].join('\n');
    if (resting.length === 0) return 'No server is running, so nothing was restarted.';
    return `Nothing of ${few(resting)} is running, so nothing was restarted; servers start when they are first called.`;
  },
});

/** The processes that have a server somebody named are asked even where it rests: they read its values anew, and say how it stands. */
async function findMeant(name: string | undefined, house: House): Promise<Live> {
  if (name === undefined) return listLive(house);
  const { id, enabled } = await findNamed(name, house);
  if (!enabled)
    throw new GatewayError(
      'UPSTREAM_DISABLED',
      `${id} is switched off; switch it on with thimble server enable ${id}`,
    );
  const there = await house.running.servers(id);
  return { ids: there.length > 0 ? [id] : [], resting: there.every(isResting) ? [id] : [] };
}

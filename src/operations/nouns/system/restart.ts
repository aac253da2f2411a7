/** `system restart`: one running server or all of them, with the configuration and secrets as they are now. */
import * as z from 'zod';
import { GatewayError } from '../../../errors/gateway-error.ts';
import type { House } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { findNamed } from '../../servers/find-named.ts';
import {
  listLive,
  RESTART_OUTPUT,
  restartAll,
  restartOne,
  sayResting,
  toLines,
  toRestartPlan,
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
    if (name === undefined) return toRestartPlan('restart every running server', (await listLive(house)).ids);
    const id = await findEnabled(name, house);
    return toRestartPlan(`restart ${id}`, [id]);
  },
  async run({ name }, house) {
    if (name !== undefined) return restartNamed(await findEnabled(name, house), house);
    const { ids, resting } = await listLive(house);
    return { servers: [...(await restartAll(ids, house))], resting: [...resting] };
  },
  succeeded: ({ servers }) => servers.every(({ ok }) => ok),
  toText({ servers, resting }) {
    if (servers.length > 0) return [...toLines(servers), ...sayResting(resting)].join('\n');
    if (resting.length === 0) return 'No server is running, so nothing was restarted.';
    return `Nothing of ${few(resting)} is running, so nothing was restarted; servers start when they are first called.`;
  },
});

/** All processes are asked about a server somebody named: where it rests they read its values anew, and say how it stands. */
async function restartNamed(id: string, house: House) {
  house.tell(`restarting ${id}`);
  const servers = await restartOne(id, house);
  return { servers: [...servers], resting: servers.length > 0 ? [] : [id] };
}

async function findEnabled(name: string, house: House): Promise<string> {
  const { id, enabled } = await findNamed(name, house);
  if (enabled) return id;
  throw new GatewayError(
    'UPSTREAM_DISABLED',
    `${id} is switched off; switch it on with thimble server enable ${id}`,
  );
}

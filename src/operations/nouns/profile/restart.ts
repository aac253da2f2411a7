/** `profile restart`: the running servers of a profile, one after the other. */
import * as z from 'zod';
import type { House } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { findProfile, readServers } from '../../profiles/profile-tags.ts';
import {
  type Live,
  listLive,
  RESTART_OUTPUT,
  restartAll,
  sayResting,
  toLines,
  toRestartPlan,
} from '../../servers/restart-servers.ts';

/** Restarts a profile. */
export const restart = defineOperation({
  noun: 'profile',
  verb: 'restart',
  summary: 'restart its running servers',
  input: z.object({ name: z.string().min(1).max(200).describe('profile') }),
  output: z.object({ name: z.string(), ...RESTART_OUTPUT }),
  effects: 'acts',
  words: ['name'],
  formerly: ['restart_profiles'],
  examples: [{ name: 'work' }],
  async plan({ name }, house) {
    const { ids } = await findMembers(name, house);
    return toRestartPlan(`restart the running servers of the profile ${name}`, ids);
  },
  async run({ name }, house) {
    const { ids, resting } = await findMembers(name, house);
    return { name, servers: [...(await restartAll(ids, house))], resting: [...resting] };
  },
  succeeded: ({ servers }) => servers.every(({ ok }) => ok),
  toText({ name, servers, resting }) {
    if (servers.length === 0)
      return `Nothing of the profile ${name} is running, so nothing was restarted; servers start when they are first called.`;
    return [...toLines(servers), ...sayResting(resting)].join('\n');
  },
});

async function findMembers(name: string, house: House): Promise<Live> {
  const { servers } = findProfile(readServers(await house.config.read()), name);
  const live = new Set((await listLive(house)).ids);
  const members = servers.map(({ id }) => id).sort();
  return { ids: members.filter((id) => live.has(id)), resting: members.filter((id) => !live.has(id)) };
}

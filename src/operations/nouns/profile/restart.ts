/** `profile restart`: the running servers of a profile, one after the other. */
import * as z from 'zod';
import type { House } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { findProfile, readServers, type TaggedServer } from '../../profiles/profile-tags.ts';
import { readHide } from '../../secrets/kept-values.ts';

const OUTPUT = z.object({
  name: z.string(),
  servers: z.array(
    z.object({
      name: z.string(),
      /** What it is after the restart, or that it was not running. */
      state: z.string(),
      /** More about it, as the end of a sentence that begins with its name. */
      says: z.string().optional(),
    }),
  ),
});

/** Of these nothing runs that could be restarted. */
const RESTING: ReadonlySet<string> = new Set(['idle', 'disabled', 'awaiting_config']);

/** Restarts a profile. */
export const restart = defineOperation({
  noun: 'profile',
  verb: 'restart',
  summary: 'restart its running servers',
  input: z.object({ name: z.string().min(1).max(200).describe('profile') }),
  output: OUTPUT,
  effects: 'acts',
  words: ['name'],
  formerly: ['restart_profiles'],
  examples: [{ name: 'work' }],
  async plan({ name }, house) {
    const { running } = await findMembers(name, house);
    if (running.length === 0) return undefined;
    return {
      summary: `restart the running servers of the profile ${name}`,
      details: running.map((server) => `end ${server.name} and start it again`),
    };
  },
  async run({ name }, house) {
    const { members, running } = await findMembers(name, house);
    const hide = await readHide(house);
    const servers: z.input<typeof OUTPUT>['servers'] = [];
    for (const server of members) {
      house.signal.throwIfAborted();
      if (!running.includes(server)) {
        servers.push({ name: server.name, state: 'not running' });
        continue;
      }
      house.tell(`restarting ${server.name} (${running.indexOf(server) + 1} of ${running.length})`);
      const [after] = await house.running.restart(server.id);
      servers.push({
        name: server.name,
        state: after?.state ?? 'gone',
        ...(after && { says: hide(after.says) }),
      });
    }
    return { name, servers };
  },
  toText({ name, servers }) {
    const done = servers.filter(({ state }) => state !== 'not running');
    if (done.length === 0)
      return `Nothing of the profile ${name} is running, so nothing was restarted; servers start when they are first called.`;
    return servers.map((server) => `${server.name}: ${server.says ?? server.state}`).join('\n');
  },
});

async function findMembers(
  name: string,
  house: House,
): Promise<{ members: readonly TaggedServer[]; running: readonly TaggedServer[] }> {
  const { servers: members } = findProfile(readServers(await house.config.read()), name);
  const live = (await house.running.servers()).filter(({ state }) => !RESTING.has(state));
  const ids = new Set(live.map(({ id }) => id));
  return { members, running: members.filter(({ id }) => ids.has(id)) };
}

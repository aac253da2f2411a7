/** `server list`: every configured server, and how it stands. */
import * as z from 'zod';
import type { House, RunningServer } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { readManifests } from '../../servers/known-manifests.ts';
import { pickEach } from '../../servers/pick-process.ts';
import { listConfigured } from '../../servers/server-entries.ts';
import { count, toColumns } from '../../shown/words.ts';

const SERVER = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.string(),
  enabled: z.boolean(),
  tags: z.array(z.string()),
  /** How it stands where something runs it. */
  state: z.string().optional(),
  /** How many tools it is known to have. */
  tools: z.number().optional(),
  /** How many of them are switched off. */
  toolsOff: z.number().optional(),
});

/** Lists servers. */
export const list = defineOperation({
  noun: 'server',
  verb: 'list',
  summary: 'all configured servers and how they stand',
  input: z.object({}),
  output: z.object({ file: z.string(), servers: z.array(SERVER) }),
  effects: 'reads',
  short: 'ls',
  formerly: ['list_servers'],
  examples: [{}],
  async run(_input, house) {
    const content = await house.config.read();
    const states = await readStates(house);
    const manifests = await readManifests(content.config, house);
    const servers = listConfigured(content).map(({ id, name, kind, enabled, tags, upstream }) => {
      const state = states.get(id);
      const tools = manifests.get(id)?.lists.tool.length;
      const toolsOff = upstream?.disabledTools?.length ?? 0;
      return {
        ...{ id, name, kind, enabled, tags: [...tags] },
        ...(state && { state: state.state }),
        ...(tools !== undefined && { tools }),
        ...(toolsOff > 0 && { toolsOff }),
      };
    });
    return { file: content.path, servers };
  },
  toText({ file, servers }) {
    const rows = servers.map((server) => [
      server.id,
      server.kind,
      server.enabled ? (server.state ?? 'on') : 'off',
      toToolText(server),
      server.tags.join(', '),
    ]);
    const own = servers.some(({ kind }) => kind !== 'builtin');
    const hint = own ? '' : '\nNo servers of your own yet: find one with thimble search <words>.';
    return `${toColumns([['SERVER', 'KIND', 'STATE', 'TOOLS', 'PROFILES'], ...rows])}\n\nConfigured in ${file}${hint}`;
  },
});

/** How each server stands, over all processes that have it. */
export async function readStates(house: House): Promise<ReadonlyMap<string, RunningServer>> {
  return pickEach(await house.running.servers());
}

function toToolText({ tools, toolsOff }: z.input<typeof SERVER>): string {
  if (tools === undefined) return 'not seen yet';
  return toolsOff === undefined ? count(tools, 'tool') : `${count(tools, 'tool')}, ${toolsOff} off`;
}

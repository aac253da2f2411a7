/** `profile list`: every profile with its servers, what they offer, and where it is to be had. */
import * as z from 'zod';
import { defineOperation } from '../../operation.ts';
import { readServers, toProfiles } from '../../profiles/profile-tags.ts';
import { readManifests } from '../../servers/known-manifests.ts';
import { findUrl } from '../../shares/address.ts';
import { count } from '../../shown/words.ts';
import { describeUse, toAddress, toCommand } from './address.ts';

const SERVER = z.object({
  name: z.string(),
  enabled: z.boolean(),
  /** Absent until the server was reached once. */
  tools: z.int().optional(),
});

const OUTPUT = z.object({
  profiles: z.array(
    z.object({ name: z.string(), servers: z.array(SERVER), address: z.string(), command: z.string() }),
  ),
  /** Servers in no profile. */
  untagged: z.array(z.string()),
});

type ProfileRow = z.input<typeof OUTPUT>['profiles'][number];

/** Lists profiles. */
export const list = defineOperation({
  noun: 'profile',
  verb: 'list',
  summary: 'profiles, their servers and addresses',
  input: z.object({}),
  output: OUTPUT,
  effects: 'reads',
  formerly: ['manage_profile'],
  examples: [{}],
  async run(_input, house) {
    const content = await house.config.read();
    const servers = readServers(content);
    const profiles = toProfiles(servers);
    const tagged = content.config.upstreams.filter(({ tags }) => tags.length > 0);
    const manifests = await readManifests({ upstreams: tagged }, house);
    const base = (await findUrl(house)) ?? '';
    return {
      profiles: profiles.map(({ name, servers: members }) => ({
        name,
        servers: members.map(({ name: server, id, enabled }) => {
          const tools = manifests.get(id)?.lists.tool.length;
          return { name: server, enabled, ...(tools !== undefined && { tools }) };
        }),
        address: `${base}${toAddress(name)}`,
        command: toCommand(name),
      })),
      untagged: servers.filter(({ tags, enabled }) => enabled && tags.length === 0).map(({ name }) => name),
    };
  },
  toText({ profiles, untagged }) {
    if (profiles.length === 0) {
      const example = untagged.slice(0, 2).join(' ');
      return `There is no profile yet. A profile shows a client only some servers; make one with: thimble profile create work ${example}`;
    }
    const rest = untagged.length > 0 ? [`In no profile: ${untagged.join(', ')}.`] : [];
    const [first] = profiles;
    const use = first ? [`Use one with ${toUse(first)}.`] : [];
    return [...profiles.map(toLine), ...rest, ...use].join('\n');
  },
});

/** The whole address where something serves. */
function toUse({ name, address, command }: ProfileRow): string {
  return address.startsWith('/') ? describeUse(name) : `${address}, or ${command}`;
}

function toLine({ name, servers }: ProfileRow): string {
  const each = servers.map(({ name: server, enabled, tools }) => {
    const facts = [...(enabled ? [] : ['off']), ...(tools === undefined ? [] : [count(tools, 'tool')])];
    return facts.length > 0 ? `${server} (${facts.join(', ')})` : server;
  });
  return `${name}: ${each.join(', ')}`;
}

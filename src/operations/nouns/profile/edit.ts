/** `profile edit`: other servers, or another name; no tag is left behind. */
import * as z from 'zod';
import type { ConfigContent, ConfigEdit } from '../../../config/config-file.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { defineOperation } from '../../operation.ts';
import {
  checkNewName,
  findProfile,
  findServers,
  type Profile,
  readServers,
  type TaggedServer,
  toTagEdits,
} from '../../profiles/profile-tags.ts';
import { findShared, planWidening, sayCutOff } from '../../profiles/share-reach.ts';
import { findConfigured } from '../../servers/server-entries.ts';
import { describeUse } from './address.ts';

const INPUT = z.object({
  name: z.string().min(1).max(200).describe('profile'),
  servers: z.array(z.string()).max(200).optional().describe('its servers'),
  add: z.array(z.string()).max(200).optional().describe('servers to put in'),
  remove: z.array(z.string()).max(200).optional().describe('servers to take out'),
  rename: z.string().max(200).optional().describe('new name'),
});

const OUTPUT = z.object({
  name: z.string(),
  /** The name it had before, when it has another now. */
  before: z.string().optional(),
  servers: z.array(z.string()),
  /** Shares of a profile that is renamed or gone, which reach nothing now. */
  shares: z.array(z.string()).optional(),
});

/** Changes a profile. */
export const edit = defineOperation({
  noun: 'profile',
  verb: 'edit',
  summary: 'put servers in, take them out, rename it',
  input: INPUT,
  output: OUTPUT,
  effects: 'acts',
  words: ['name'],
  formerly: ['manage_profile'],
  examples: [
    { name: 'work', add: ['storage'] },
    { name: 'work', remove: ['blog'], rename: 'office' },
  ],
  async plan(input, house) {
    const { edits } = toChange(input, await house.config.read());
    return planWidening(`change the profile ${input.name}`, edits, house);
  },
  async run(input, house) {
    let outcome: z.input<typeof OUTPUT> = { name: input.name, servers: [] };
    await house.config.edit((content) => {
      const change = toChange(input, content);
      outcome = change.outcome;
      return change.edits;
    });
    const isThere = outcome.before === undefined && outcome.servers.length > 0;
    const shares = isThere ? [] : (await findShared(input.name, house)).map((share) => share.name);
    return { ...outcome, ...(shares.length > 0 && { shares }) };
  },
  toText({ name, before, servers, shares = [] }) {
    const was = before ?? name;
    const cutOff = sayCutOff(was, shares);
    if (servers.length === 0)
      return [`The profile ${was} has no server any more, so it is gone.`, ...cutOff].join('\n');
    const lines = [`The profile ${name} has ${servers.join(', ')}.`];
    if (before !== undefined)
      lines.push(
        `It was called ${before}; whoever names it so has to be told. Use it with ${describeUse(name)}.`,
      );
    if (shares.length > 0) lines.push(...cutOff, `Share the new one with thimble share start ${name}.`);
    return lines.join('\n');
  },
});

function toChange(
  input: z.output<typeof INPUT>,
  content: ConfigContent,
): { edits: readonly ConfigEdit[]; outcome: z.input<typeof OUTPUT> } {
  const { name, servers: exactly, add = [], remove = [], rename } = input;
  const servers = readServers(content);
  const profile = findProfile(servers, name);
  if (exactly === undefined && add.length + remove.length === 0 && rename === undefined)
    throw new GatewayError(
      'INVALID_PARAMS',
      `profile edit was told nothing to change in ${name}; give add, remove, servers or rename`,
    );
  const tag = rename ?? name;
  if (tag !== name) checkNewName(servers, tag);
  const gone = findMembers(content, profile, remove);
  const stays = exactly === undefined ? profile.servers : findServers(content, servers, exactly);
  const members = new Set(
    [...stays, ...findServers(content, servers, add)].filter((server) => !gone.includes(server)),
  );
  const edits = toTagEdits(content, servers, (server) =>
    toTags(server, name, members.has(server) ? tag : undefined),
  );
  const names = servers.filter((server) => members.has(server)).map((server) => server.name);
  return { edits, outcome: { name: tag, ...(tag !== name && { before: name }), servers: names } };
}

/** Puts the new tag where the old one was, so that the order of the others stays. */
function toTags({ tags }: TaggedServer, old: string, tag: string | undefined): readonly string[] {
  const kept = tags.flatMap((each) => (each === old ? (tag ?? []) : each));
  return tag === undefined || kept.includes(tag) ? kept : [...kept, tag];
}

/** The members somebody named; what is switched off may still be taken out. */
function findMembers(
  content: ConfigContent,
  { name, servers: members }: Profile,
  words: readonly string[],
): readonly TaggedServer[] {
  return words.map((word) => {
    const { id } = findConfigured(content, word);
    const found = members.find((member) => member.id === id);
    if (found) return found;
    throw new GatewayError(
      'NAME_UNKNOWN',
      `${id} is not in the profile ${name}, which has ${members.map((each) => each.name).join(', ')}; leave it out of remove`,
    );
  });
}

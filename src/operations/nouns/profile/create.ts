/** `profile create`: tags servers with a new name. */
import * as z from 'zod';
import type { ConfigContent, ConfigEdit } from '../../../config/config-file.ts';
import { defineOperation } from '../../operation.ts';
import { checkNewName, findServers, readServers, toTagEdits } from '../../profiles/profile-tags.ts';
import { planWidening } from '../../profiles/share-reach.ts';
import { describeUse } from './address.ts';

const INPUT = z.object({
  name: z.string().min(1).max(200).describe('profile'),
  servers: z.array(z.string()).min(1).max(200).describe('its servers'),
});

const OUTPUT = z.object({ name: z.string(), servers: z.array(z.string()) });

/** Makes a profile of servers that are configured. */
export const create = defineOperation({
  noun: 'profile',
  verb: 'create',
  summary: 'group servers under a new name',
  input: INPUT,
  output: OUTPUT,
  effects: 'acts',
  words: ['name', 'servers'],
  formerly: ['manage_profile'],
  examples: [{ name: 'work', servers: ['memory', 'projects'] }],
  // A share outlives its profile, so a new one of that name may have holders already.
  async plan(input, house) {
    const { edits } = toCreation(input, await house.config.read());
    return planWidening(`create the profile ${input.name}`, edits, house);
  },
  async run(input, house) {
    let names: readonly string[] = [];
    await house.config.edit((content) => {
      const creation = toCreation(input, content);
      names = creation.names;
      return creation.edits;
    });
    return { name: input.name, servers: [...names] };
  },
  toText: ({ name, servers }) =>
    [`The profile ${name} has ${servers.join(', ')}.`, `Use it with ${describeUse(name)}.`].join('\n'),
});

function toCreation(
  { name, servers: words }: z.output<typeof INPUT>,
  content: ConfigContent,
): { edits: readonly ConfigEdit[]; names: readonly string[] } {
  const servers = readServers(content);
  checkNewName(servers, name);
  const chosen = findServers(content, servers, words);
  const edits = toTagEdits(content, servers, (server) =>
    chosen.includes(server) ? [...server.tags, name] : server.tags,
  );
  return { edits, names: [...new Set(chosen.map((server) => server.name))] };
}

/** `profile create`: tags servers with a new name. */
import * as z from 'zod';
import { defineOperation } from '../operation.ts';
import { checkNewName, findServers, readServers, toTagEdits } from '../profile-tags.ts';
import { describeUse } from './address.ts';

const OUTPUT = z.object({ name: z.string(), servers: z.array(z.string()) });

/** Makes a profile of servers that are configured. */
export const create = defineOperation({
  noun: 'profile',
  verb: 'create',
  summary: 'group servers under a new name',
  input: z.object({
    name: z.string().min(1).max(200).describe('profile'),
    servers: z.array(z.string()).min(1).max(200).describe('its servers'),
  }),
  output: OUTPUT,
  effects: 'writes',
  words: ['name', 'servers'],
  formerly: ['manage_profile'],
  examples: [{ name: 'work', servers: ['memory', 'projects'] }],
  async run({ name, servers: words }, house) {
    let names: readonly string[] = [];
    await house.config.edit((content) => {
      const servers = readServers(content);
      checkNewName(servers, name);
      const chosen = findServers(content, servers, words);
      names = [...new Set(chosen.map((server) => server.name))];
      return toTagEdits(content, servers, (server) =>
        chosen.includes(server) ? [...server.tags, name] : server.tags,
      );
    });
    return { name, servers: [...names] };
  },
  toText: ({ name, servers }) =>
    [`The profile ${name} has ${servers.join(', ')}.`, `Use it with ${describeUse(name)}.`].join('\n'),
});

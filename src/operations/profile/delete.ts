/** `profile delete`: takes the tag away everywhere; the servers stay. */
import * as z from 'zod';
import { defineOperation } from '../operation.ts';
import { findProfile, readServers, toTagEdits } from '../profile-tags.ts';

/** Deletes a profile. */
export const remove = defineOperation({
  noun: 'profile',
  verb: 'delete',
  summary: 'remove a profile; its servers stay',
  input: z.object({ name: z.string().min(1).max(200).describe('profile') }),
  output: z.object({ name: z.string(), servers: z.array(z.string()) }),
  effects: 'writes',
  destructive: true,
  words: ['name'],
  formerly: ['manage_profile'],
  examples: [{ name: 'work' }],
  async run({ name }, house) {
    let names: readonly string[] = [];
    await house.config.edit((content) => {
      const servers = readServers(content);
      names = findProfile(servers, name).servers.map((server) => server.name);
      return toTagEdits(content, servers, ({ tags }) => tags.filter((tag) => tag !== name));
    });
    return { name, servers: [...names] };
  },
  toText: ({ name, servers }) =>
    `The profile ${name} is gone; ${servers.join(', ')} ${servers.length === 1 ? 'stays' : 'stay'} configured.`,
});

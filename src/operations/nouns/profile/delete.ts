/** `profile delete`: takes the tag away everywhere; the servers stay. */
import * as z from 'zod';
import { defineOperation } from '../../operation.ts';
import { findProfile, readServers, toTagEdits } from '../../profiles/profile-tags.ts';
import { findShared, sayCutOff } from '../../profiles/share-reach.ts';

/** Deletes a profile. */
export const remove = defineOperation({
  noun: 'profile',
  verb: 'delete',
  summary: 'remove a profile; its servers stay',
  input: z.object({ name: z.string().min(1).max(200).describe('profile') }),
  output: z.object({
    name: z.string(),
    servers: z.array(z.string()),
    /** Shares of it, which reach nothing now. */
    shares: z.array(z.string()).optional(),
  }),
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
    const shares = (await findShared(name, house)).map((share) => share.name);
    return { name, servers: [...names], ...(shares.length > 0 && { shares }) };
  },
  toText: ({ name, servers, shares = [] }) =>
    [
      `The profile ${name} is gone; ${servers.join(', ')} ${servers.length === 1 ? 'stays' : 'stay'} configured.`,
      ...sayCutOff(name, shares),
    ].join('\n'),
});

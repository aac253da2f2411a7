/** `server search`: servers of the registry by what they are called and what they do. */
import * as z from 'zod';
import { defineOperation } from '../../operation.ts';
import { toLine } from '../../shown/command-line.ts';
import { toShown } from '../../shown/quote.ts';
import { toRecipes } from './recipe.ts';
import { openRegistry } from './registry/open-registry.ts';
import { rankServers } from './registry/rank.ts';

/** Searches the registry. */
export const search = defineOperation({
  noun: 'server',
  verb: 'search',
  summary: 'find servers in the registry',
  input: z.object({
    query: z.string().trim().min(1).max(200).describe('what it is called or does'),
    limit: z.int().min(1).max(200).default(10).describe('how many results or lines'),
  }),
  output: z.object({
    query: z.string(),
    servers: z.array(
      z.object({
        name: z.string(),
        version: z.string(),
        description: z.string(),
        /** The ways in which it can be installed here. */
        kinds: z.array(z.string()),
        deprecated: z.boolean(),
      }),
    ),
    /** How many more fit. */
    more: z.number(),
    note: z.string().optional(),
  }),
  effects: 'reads',
  openWorld: true,
  words: ['query'],
  short: 'search',
  formerly: ['search_servers'],
  examples: [{ query: 'github' }, { query: 'weather forecast', limit: 5 }],
  async run({ query, limit }, house) {
    const { value, note } = await openRegistry(house).candidates(query);
    const ranked = rankServers(query, value);
    const servers = ranked.slice(0, limit).map(({ server }) => ({
      name: server.name,
      version: toLine(server.version, 60),
      description: toLine(server.description, 160),
      kinds: [...new Set(toRecipes(server).map(({ kind }) => kind))],
      deprecated: server.status === 'deprecated',
    }));
    return { query, servers, more: ranked.length - servers.length, ...(note && { note }) };
  },
  toText({ query, servers, more, note }) {
    if (servers.length === 0)
      return `Nothing in the registry fits ${toShown(query)}; try fewer or other words.${note ? ` (${note})` : ''}`;
    const lines = servers.map(
      ({ name, version, description, kinds, deprecated }) =>
        `${name} ${version} [${kinds.join(', ') || 'no known way to run it'}]${deprecated ? ' (deprecated)' : ''}\n    ${description}`,
    );
    return [
      ...lines,
      more > 0 && `and ${more} more; ask for them with a higher limit`,
      note && `note: ${note}`,
      `install one with: thimble install <name>`,
    ]
      .filter(Boolean)
      .join('\n');
  },
});

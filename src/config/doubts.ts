/** What a configuration says that can be used and was hardly meant: names that nothing has, since servers come and go. */
import { didYouMean } from '../lib/nearest.ts';
import { MANAGE } from './builtin-servers.ts';
import type { Config } from './config.ts';
import { toPathText } from './faults.ts';
import type { ConfigParts } from './schema.ts';

/** What exists, as far as it is known. */
export interface KnownNames {
  /** The built-in servers, whether or not they are on. */
  readonly builtins: ConfigParts['builtins'];
  /** The tools of servers by their ids; of a server that is not in it nothing is said. */
  readonly tools?: ReadonlyMap<string, readonly string[]>;
}

/** One sentence each, beginning with the key. */
export function findDoubts(
  { exposure, upstreams }: Config,
  { builtins, tools }: KnownNames,
): readonly string[] {
  const ids = new Set([
    ...upstreams.map(({ id }) => String(id)),
    ...builtins.map(({ name }) => name),
    MANAGE,
  ]);
  return Object.entries(exposure.noun.groups).flatMap(([server, groups]) => {
    const path = ['exposure', 'noun', 'groups', server];
    if (!ids.has(server)) {
      const named = upstreams.find(({ name }) => name === server);
      const hint = named ? ` (the id of that server is "${named.id}")` : didYouMean(server, ids);
      return [`${toPathText(path)}: no server has the id ${JSON.stringify(server)}${hint}`];
    }
    const known = tools?.get(server);
    if (!known) return [];
    return Object.entries(groups).flatMap(([group, names]) =>
      (names || [])
        .filter((name) => !known.includes(name))
        .map((name) => {
          const what = `${server} has no tool ${JSON.stringify(name)}${didYouMean(name, known)}`;
          return `${toPathText([...path, group])}: ${what}`;
        }),
    );
  });
}

/** Profiles as they are kept: tags on servers, and nothing else. */
import { BUILTINS } from '../../builtin/registry.ts';
import type { Config } from '../../config/config.ts';
import type { ConfigContent, ConfigEdit } from '../../config/config-file.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { didYouMean, nearest } from '../../lib/nearest.ts';
import { isJsonObject, type JsonValue } from '../../model/json.ts';
import { refuseForeignEdits } from '../files/own-file.ts';
import { findConfigured } from '../servers/server-entries.ts';
import { toShown } from '../shown/quote.ts';
import { NAME, NAME_RULE } from './names.ts';

/** A server as far as profiles are concerned. */
export interface TaggedServer {
  /** As the configuration writes it. */
  readonly name: string;
  readonly id: string;
  /** True for a server inside the gateway, which stands in another section. */
  readonly builtin: boolean;
  /** False when it is switched off; its tags are kept all the same. */
  readonly enabled: boolean;
  readonly tags: readonly string[];
}

/** A profile: a tag that some server carries. */
export interface Profile<Server extends Tagged = TaggedServer> {
  readonly name: string;
  readonly servers: readonly Server[];
}

/** All that makes a profile of servers. */
type Tagged = Pick<TaggedServer, 'tags'>;

const MAX_NAMED = 6;

/** Every server that can carry a tag. */
export function readServers({ config }: Pick<ConfigContent, 'config'>): readonly TaggedServer[] {
  const configured = config.upstreams.filter(({ core }) => !core);
  const inside = BUILTINS.map(({ name }): TaggedServer => {
    const on = config.upstreams.find(({ core, id }) => core && id === name);
    const { tags } = on ?? config.builtinsOff?.find((off) => off.name === name) ?? { tags: [] };
    return { name, id: name, builtin: true, enabled: on !== undefined, tags };
  });
  return [
    ...configured.map(({ name, id, enabled, tags }) => ({ name, id, builtin: false, enabled, tags })),
    ...inside,
  ];
}

/** Every profile, by name. */
export function toProfiles<Server extends Tagged>(servers: readonly Server[]): readonly Profile<Server>[] {
  const names = [...new Set(servers.flatMap(({ tags }) => tags))].sort();
  return names.map((name) => ({ name, servers: servers.filter(({ tags }) => tags.includes(name)) }));
}

/** The profile of a name; refuses one that is not there with those that are. */
export function findProfile<Server extends Tagged>(
  servers: readonly Server[],
  name: string,
): Profile<Server> {
  const profiles = toProfiles(servers);
  const found = profiles.find((profile) => profile.name === name);
  if (found) return found;
  const names = profiles.map((profile) => profile.name);
  const next =
    names.length > 0
      ? `there are ${toSome(names, name)}`
      : 'none has been made yet: thimble profile create <name> <servers> makes one';
  throw new GatewayError(
    'NAME_UNKNOWN',
    `there is no profile ${toShown(name)}${didYouMean(name, names)}; ${next}`,
  );
}

/** Refuses a profile that a client would be shown nothing of: one that is not there, or whose servers are built in and off. */
export function checkProfile({ upstreams, builtinsOff = [] }: Config, name: string): void {
  if (upstreams.some(({ tags }) => tags.includes(name))) return;
  const { servers } = findProfile([...upstreams, ...builtinsOff], name);
  const off = servers.map((server) => server.name);
  throw new GatewayError(
    'UPSTREAM_DISABLED',
    `every server of the profile ${toShown(name)} is switched off: ${off.join(', ')}; thimble server enable ${off[0]} switches one on`,
  );
}

/** The servers somebody named, by name or id; one that is not configured is refused with those that are. */
export function findServers(
  content: ConfigContent,
  servers: readonly TaggedServer[],
  words: readonly string[],
): readonly TaggedServer[] {
  return words.map((word) => {
    const { id } = findConfigured(content, word);
    const found = servers.find((server) => server.id === id);
    if (found && (found.enabled || !found.builtin)) return found;
    throw new GatewayError(
      'UPSTREAM_DISABLED',
      `the built-in server ${id} is switched off, so a profile cannot have it; thimble server enable ${id} switches it on`,
    );
  });
}

/** Refuses a name that no new profile may have. */
export function checkNewName(servers: readonly TaggedServer[], name: string): void {
  if (!NAME.test(name))
    throw new GatewayError('INVALID_PARAMS', `${toShown(name)} cannot name a profile; take ${NAME_RULE}`);
  if (toProfiles(servers).some((profile) => profile.name === name))
    throw new GatewayError(
      'NAME_TAKEN',
      `there is a profile "${name}" already; change it with thimble profile edit ${name}, or take another name`,
    );
}

/** The edits that give servers other tags; what stays as it is is left alone. */
export function toTagEdits(
  { path, value }: ConfigContent,
  servers: readonly TaggedServer[],
  change: (server: TaggedServer) => readonly string[],
): readonly ConfigEdit[] {
  const changed = servers
    .map((server) => ({ server, tags: [...new Set(change(server))] }))
    .filter(({ server, tags }) => tags.join('\0') !== server.tags.join('\0'));
  const { builtin } = value;
  const edits: ConfigEdit[] = [];
  // A section that only says yes has no room for tags; an empty one means the same.
  if (builtin === true && changed.some(({ server }) => server.builtin))
    edits.push({ path: ['builtin'], value: {} });
  for (const { server, tags } of changed) {
    const at = server.builtin ? ['builtin', server.name] : ['mcpServers', server.name];
    const isBare = server.builtin && typeof toMember(builtin, server.name) === 'boolean';
    if (isBare) edits.push({ path: at, value: { tags } });
    else edits.push({ path: [...at, 'tags'], value: tags.length > 0 ? tags : undefined });
  }
  refuseForeignEdits(path, edits);
  return edits;
}

/** The names nearest to a wrong one, or the first few. */
function toSome(names: readonly string[], wrong: string): string {
  const near = nearest(wrong, names, MAX_NAMED);
  const shown = [...new Set([...near, ...names])].slice(0, MAX_NAMED);
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function toMember(value: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Finds what somebody wants to share: a server or a profile of that name, never a guess between two. */
import type { ConfigContent } from '../../../config/config-file.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { didYouMean } from '../../../lib/nearest.ts';
import type { Share } from '../../../session/shares.ts';
import { findProfile, type Profile, readServers, toProfiles } from '../../profiles/profile-tags.ts';
import {
  type Configured,
  findConfigured,
  listConfigured,
  matchConfigured,
} from '../../servers/server-entries.ts';
import { toShown } from '../../shown/quote.ts';
import { few } from '../../shown/words.ts';

/** What is to be shared. */
export interface Target {
  readonly kind: Share['kind'];
  /** The id of the server, or the name of the profile. */
  readonly target: string;
  /** The servers that can be reached by it, now or once they are switched on. */
  readonly servers: readonly Configured[];
}

/** How many names a refusal tells. */
const SHOWN = 8;

/** Finds it; throws NAME_UNKNOWN or INVALID_PARAMS, and UPSTREAM_DISABLED for what is switched off. */
export function findTarget(content: ConfigContent, name: string, kind: Share['kind'] | undefined): Target {
  const tagged = readServers(content);
  if (kind === 'server') return toServer(findConfigured(content, name));
  if (kind === 'profile') return toProfile(content, findProfile(tagged, name));
  const server = matchConfigured(content, name);
  const profile = toProfiles(tagged).find((each) => each.name === name);
  if (server && profile)
    throw new GatewayError(
      'INVALID_PARAMS',
      `${toShown(name)} is a server and a profile; say which with --kind server or --kind profile`,
    );
  if (server) return toServer(server);
  if (profile) return toProfile(content, profile);
  throw toUnknown(content, name);
}

function toServer(server: Configured): Target {
  if (server.enabled) return { kind: 'server', target: server.id, servers: [server] };
  throw new GatewayError(
    'UPSTREAM_DISABLED',
    `${server.id} is switched off; switch it on first with thimble server enable ${server.id}`,
  );
}

/** Those that are switched off are told too: whoever has the token reaches them once they are on. */
function toProfile(content: ConfigContent, { name, servers: members }: Profile): Target {
  const servers = listConfigured(content).filter(({ id }) => members.some((member) => member.id === id));
  if (servers.some(({ enabled }) => enabled)) return { kind: 'profile', target: name, servers };
  throw new GatewayError(
    'UPSTREAM_DISABLED',
    `every server of the profile ${name} is switched off; switch one on first with thimble server enable ${servers[0]?.id}`,
  );
}

function toUnknown(content: ConfigContent, name: string): GatewayError {
  const ids = listConfigured(content).filter(({ enabled }) => enabled);
  const known = [...ids.map(({ id }) => id), ...toProfiles(readServers(content)).map((each) => each.name)];
  const there = known.length > 0 ? `there are ${few(known, SHOWN)}` : 'there is none';
  return new GatewayError(
    'NAME_UNKNOWN',
    `no server or profile is called ${toShown(name)}${didYouMean(name, known)}; ${there}`,
  );
}

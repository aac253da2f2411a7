/** Finds what somebody wants to share: a server or a profile of that name, never a guess between two. */
import type { ConfigContent } from '../../../config/config-file.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { didYouMean } from '../../../lib/nearest.ts';
import type { Share } from '../../../session/shares.ts';
import { type Configured, listConfigured, matchConfigured, toShown } from '../../servers/server-entries.ts';

/** What is to be shared. */
export interface Target {
  readonly kind: Share['kind'];
  /** The id of the server, or the name of the profile. */
  readonly target: string;
  /** The servers that can be reached by it. */
  readonly servers: readonly Configured[];
}

/** How many names a refusal tells. */
const SHOWN = 8;

/** Finds it; throws NAME_UNKNOWN or INVALID_PARAMS, and UPSTREAM_DISABLED for what is switched off. */
export function findTarget(content: ConfigContent, name: string, kind: Share['kind'] | undefined): Target {
  const server = kind === 'profile' ? undefined : matchConfigured(content, name);
  const members = kind === 'server' ? [] : membersOf(content, name);
  if (server && members.length > 0)
    throw new GatewayError(
      'INVALID_PARAMS',
      `${toShown(name)} is a server and a profile; say which with --kind server or --kind profile`,
    );
  if (server) return toServer(server);
  if (members.length === 0) throw toUnknown(content, name, kind);
  const servers = members.filter(({ enabled }) => enabled);
  if (servers.length > 0) return { kind: 'profile', target: name, servers };
  throw new GatewayError('UPSTREAM_DISABLED', `every server of the profile ${name} is switched off`);
}

function toServer(server: Configured): Target {
  if (server.enabled) return { kind: 'server', target: server.id, servers: [server] };
  throw new GatewayError(
    'UPSTREAM_DISABLED',
    `${server.id} is switched off; switch it on first with thimble server enable ${server.id}`,
  );
}

function membersOf(content: ConfigContent, profile: string): readonly Configured[] {
  return listConfigured(content).filter(({ tags }) => tags.includes(profile));
}

function toUnknown(content: ConfigContent, name: string, kind: Share['kind'] | undefined): GatewayError {
  const all = listConfigured(content);
  const ids = all.filter(({ enabled }) => enabled).map(({ id }) => id);
  const profiles = [...new Set(all.flatMap(({ tags }) => tags))].sort();
  const known = kind === 'server' ? ids : kind === 'profile' ? profiles : [...ids, ...profiles];
  const what = kind ?? 'server or profile';
  const rest = known.length > SHOWN ? ` and ${known.length - SHOWN} more` : '';
  const there = known.length > 0 ? `there are ${known.slice(0, SHOWN).join(', ')}${rest}` : 'there is none';
  return new GatewayError(
    'NAME_UNKNOWN',
    `no ${what} is called ${toShown(name)}${didYouMean(name, known)}; ${there}`,
  );
}

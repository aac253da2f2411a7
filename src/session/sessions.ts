/** Opens conversations for transports and knows which are live. */
import type { Implementation } from '../model/mcp.ts';
import type { Account } from './account.ts';
import { type KnownAddresses, parseEndpoint } from './endpoint.ts';
import type { InputStates } from './input-state.ts';
import { openLegacySession } from './legacy-session.ts';
import { openModernSession } from './modern-session.ts';
import type { Parking } from './parking.ts';
import type { Endpoint, Session, Sessions } from './session.ts';
import { openSurface, type Surface, type SurfaceParts, toEndpointKey } from './surface.ts';

/** What sessions are made of. */
export interface SessionParts extends SurfaceParts {
  /** How the gateway introduces itself. */
  readonly identity: Implementation;
  /** What addresses may name at this moment. */
  readonly addresses: KnownAddresses;
  /** Aborts when the gateway stops. */
  readonly stopping: AbortSignal;
  /** Names a new conversation, apart from every other of this process. */
  nextConversation(): string;
  /** The surface of an endpoint for requests that stand alone: one for all of them. */
  sharedSurface(endpoint: Endpoint): Surface;
  /** Calls that wait for their modern client to come back with input. */
  readonly parking: Parking;
  readonly inputStates: InputStates;
  /** Hears what clients are given. */
  readonly account: Account;
}

/** Creates the table of sessions. */
export function createSessions(given: Omit<SessionParts, 'nextConversation' | 'sharedSurface'>): Sessions {
  const live = new Set<Session>();
  const surfaces = new Map<string, Surface>();
  let conversations = 0;
  const parts: SessionParts = {
    ...given,
    nextConversation() {
      conversations += 1;
      return `conversation ${conversations}`;
    },
    sharedSurface(endpoint) {
      const key = toEndpointKey(endpoint);
      const known = surfaces.get(key);
      if (known) return known;
      const opened = openSurface(endpoint, false, parts);
      surfaces.set(key, opened);
      return opened;
    },
  };
  return {
    openLegacy(opening) {
      const session = openLegacySession(opening, parts, () => live.delete(session));
      live.add(session);
      return session;
    },
    openModern: (opening) => openModernSession(opening, parts),
    endpointOf: (path, profile) => parseEndpoint(path, profile, parts.addresses),
    get live() {
      return live.size;
    },
  };
}

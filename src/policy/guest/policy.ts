/** Keeps those who were given a share away from what is only for the owner. */
import { isShare } from '../../model/principal.ts';
import type { Policy } from '../policy.ts';

/** Hides the given upstreams from everybody who comes by a share, whatever was shared. */
export function createGuestPolicy(ownerOnly: ReadonlySet<string>): Policy {
  return {
    name: 'guest',
    sees: ({ upstream }, { principal }) => !ownerOnly.has(upstream) || !isShare(principal),
  };
}

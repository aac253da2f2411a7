/** Narrows a conversation to the upstreams that carry the profile's tag. */
import type { Policy } from '../policy.ts';

/** Without a profile everything is seen. */
export const profile: Policy = {
  name: 'profile',
  sees: (entry, context) => context.profile === undefined || entry.tags.includes(context.profile),
};

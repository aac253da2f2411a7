/** THE order of policies: the first line is outermost. Each line says why it stands where it does. */
import { createGuestPolicy } from './guest/policy.ts';
import type { Policy } from './policy.ts';
import { profile } from './profile/policy.ts';
import { switchedOff } from './switched-off/policy.ts';

/** Upstreams nobody reaches by a share: the one that manages the gateway. */
const OWNER_ONLY: ReadonlySet<string> = new Set(['manage']);

/** Every policy, in force for every mode and transport. */
export const POLICIES: readonly Policy[] = [
  createGuestPolicy(OWNER_ONLY), // first: no tag and no setting may let a guest in
  profile, // narrows what exists before anything else could spend work on it
  switchedOff, // after what hides: who may not see a tool is not told that it is switched off either
];

/** THE order of policies: the first line is outermost. Each line says why it stands where it does. */
import type { Policy } from './policy.ts';
import { profile } from './profile/policy.ts';

/** Every policy, in force for every mode and transport. */
export const POLICIES: readonly Policy[] = [
  profile, // narrows what exists before anything else could spend work on it
];

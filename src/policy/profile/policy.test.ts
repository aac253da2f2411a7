import { expect, it } from 'vitest';
import { createContext } from '../../../test/support/contexts.ts';
import { openWith, runPolicyContract } from '../policy.contract.ts';
import { profile } from './policy.ts';

runPolicyContract({ policy: profile, caller: createContext({ profile: 'work' }) });

it('shows everything to a conversation without a profile', () => {
  const { view } = openWith(profile);
  expect(view.list('tool').map((entry) => entry.publicName)).toEqual(['unseen', 'seen']);
});

it('shows nothing for a profile no upstream is tagged with', () => {
  const { view } = openWith(profile, createContext({ profile: 'nobody' }));
  expect(view.list('tool')).toEqual([]);
});

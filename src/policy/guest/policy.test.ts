import { expect, it } from 'vitest';
import { createContext } from '../../../test/support/contexts.ts';
import { createFakeUpstreams } from '../../../test/support/fake-upstreams.ts';
import { openCatalog } from '../../catalog/open-catalog.ts';
import { createFeed } from '../../events/feed.ts';
import { LOCAL_PRINCIPAL, type Principal, toSharePrincipal } from '../../model/principal.ts';
import { POLICIES } from '../order.ts';
import { openWith, runPolicyContract } from '../policy.contract.ts';
import { openView } from '../view.ts';
import { createGuestPolicy } from './policy.ts';

const policy = createGuestPolicy(new Set(['hidden']));

runPolicyContract({ policy, caller: createContext({ principal: toSharePrincipal('work') }) });

it('hides nothing from whoever sits at the machine', () => {
  const { view } = openWith(policy);
  expect(view.list('tool')).toHaveLength(2);
});

it('is in force for the server that manages the gateway, at whatever address', () => {
  const upstreams = createFakeUpstreams({ manage: { tools: ['server'], tags: ['work'] } });
  const names = { reserved: new Set<string>(), maxLength: 48 };
  const catalog = openCatalog({ upstreams, names: () => names, feed: createFeed() });
  const toolsFor = (principal: Principal) =>
    openView(catalog.current, catalog, POLICIES, createContext({ principal, profile: 'work' })).list('tool');
  expect(toolsFor(LOCAL_PRINCIPAL)).toHaveLength(1);
  expect(toolsFor(toSharePrincipal('work'))).toEqual([]);
});

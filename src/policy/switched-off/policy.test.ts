import { expect, it } from 'vitest';
import { createContext } from '../../../test/support/contexts.ts';
import { createFakeUpstreams } from '../../../test/support/fake-upstreams.ts';
import { openCatalog } from '../../catalog/open-catalog.ts';
import { createFeed } from '../../events/feed.ts';
import { openPartly, runRefusalContract } from '../policy.contract.ts';
import { profile } from '../profile/policy.ts';
import { openView } from '../view.ts';
import { switchedOff } from './policy.ts';

runRefusalContract({ policy: switchedOff, caller: createContext(), code: 'TOOL_DISABLED' });

it('says which tool of which server is switched off and how to switch it on', async () => {
  const { view } = openPartly(switchedOff);
  await expect(view.use('tool', 'partly__off', {})).rejects.toThrow(
    /"off" of partly is switched off.*thimble server enable partly --tool off/,
  );
});

it('leaves the names and the fingerprints of all others as they were', () => {
  const names = { reserved: new Set<string>(), maxLength: 48 };
  const entriesOf = (disabledTools: readonly string[]) => {
    const upstreams = createFakeUpstreams({
      a: { tools: ['read', 'write'], disabledTools },
      b: { tools: ['read'] },
    });
    const catalog = openCatalog({ upstreams, names: () => names, feed: createFeed() });
    const toFacts = ({ publicName, fingerprint }: { publicName: string; fingerprint: string }) => ({
      publicName,
      fingerprint,
    });
    return openView(catalog.current, catalog, [switchedOff], createContext()).list('tool').map(toFacts);
  };
  const all = entriesOf([]);
  expect(entriesOf(['read'])).toEqual(all.filter(({ publicName }) => publicName !== 'a__read'));
});

it('does not tell who may not see a server that a tool of it is switched off', async () => {
  const upstreams = createFakeUpstreams({
    a: { tools: ['read'], tags: ['home'], disabledTools: ['read'] },
    b: { tools: ['write'], tags: ['work'] },
  });
  const names = { reserved: new Set<string>(), maxLength: 48 };
  const catalog = openCatalog({ upstreams, names: () => names, feed: createFeed() });
  const context = createContext({ profile: 'work' });
  const view = openView(catalog.current, catalog, [profile, switchedOff], context);
  await expect(view.use('tool', 'read', {})).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' });
  expect(view.refused.list('tool')).toEqual([]);
});

it('follows the configuration at the address of one server too', () => {
  const upstreams = createFakeUpstreams({ a: { tools: ['read', 'write'] } });
  const names = { reserved: new Set<string>(), maxLength: 48 };
  const catalog = openCatalog({ upstreams, names: () => names, feed: createFeed() });
  const [a] = upstreams.all;
  if (!a) throw new Error('there is an upstream');
  expect(catalog.only(a.config.id)?.find('tool', 'read')?.switchedOff).toBe(false);
  upstreams.set('a', { tools: ['read', 'write'], disabledTools: ['read'] });
  expect(catalog.only(a.config.id)?.find('tool', 'read')?.switchedOff).toBe(true);
});

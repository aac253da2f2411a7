import { expect, it } from 'vitest';
import { createContext } from '../../test/support/contexts.ts';
import { createFakeUpstreams } from '../../test/support/fake-upstreams.ts';
import { openCatalog } from '../catalog/open-catalog.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { createFeed } from '../events/feed.ts';
import type { CallContext } from '../model/call.ts';
import { OWNER, toSharePrincipal } from '../model/principal.ts';
import type { CatalogView, Policy } from './policy.ts';
import { openView } from './view.ts';

function setUp(...policies: Policy[]) {
  const upstreams = createFakeUpstreams({
    a: { tools: ['read'], resources: ['x://1'], prompts: ['greet'] },
    b: { tools: ['read'], resources: ['x://1'], templates: ['b://{id}'] },
  });
  const names = { reserved: new Set<string>(), maxLength: 48 };
  const catalog = openCatalog({ upstreams, names: () => names, feed: createFeed() });
  const open = (given: Partial<CallContext> = {}) =>
    openView(catalog.current, catalog, policies, createContext(given));
  return { upstreams, open, view: open() };
}

it('sends a public name on as the upstream knows it', async () => {
  const { view, upstreams } = setUp();
  await view.use('tool', 'b__read', { name: 'b__read', arguments: { path: '/' } });
  expect(upstreams.seen).toEqual([
    { upstream: 'b', method: 'tools/call', params: { name: 'read', arguments: { path: '/' } } },
  ]);
});

it('reads a clashing resource from the upstream its public URI names, and answers with that URI', async () => {
  const { view, upstreams } = setUp();
  upstreams.answer = async () => ({ contents: [{ uri: 'x://1', text: 'hello' }] });
  const result = await view.read('thimble://s/b/x://1', { uri: 'thimble://s/b/x://1' });
  expect(upstreams.seen).toEqual([{ upstream: 'b', method: 'resources/read', params: { uri: 'x://1' } }]);
  expect(result).toEqual({ contents: [{ uri: 'thimble://s/b/x://1', text: 'hello' }] });
});

it('completes for a prompt and for a template at the upstream that has it', async () => {
  const { view, upstreams } = setUp();
  await view.complete({ ref: { type: 'ref/prompt', name: 'greet' }, argument: { name: 'who', value: 'a' } });
  await view.complete({
    ref: { type: 'ref/resource', uri: 'b://{id}' },
    argument: { name: 'id', value: '1' },
  });
  expect(upstreams.seen.map(({ upstream, method }) => `${upstream} ${method}`)).toEqual([
    'a completion/complete',
    'b completion/complete',
  ]);
});

it('wraps a call in policies from the outside in', async () => {
  const steps: string[] = [];
  const tracing = (name: string): Policy => ({
    name,
    async around(call, next) {
      steps.push(`${name} before ${call.entry.name}`);
      const result = await next(call);
      steps.push(`${name} after`);
      return result;
    },
  });
  const { view } = setUp(tracing('outer'), tracing('inner'));
  await view.use('tool', 'a__read', {});
  expect(steps).toEqual(['outer before read', 'inner before read', 'inner after', 'outer after']);
});

it('lets a policy refuse what is seen', async () => {
  const refuse: Policy = { name: 'refuse', around: () => Promise.reject(new GatewayError('INTERNAL', 'no')) };
  const { view, upstreams } = setUp(refuse);
  await expect(view.use('tool', 'a__read', {})).rejects.toThrow('no');
  expect(upstreams.seen).toEqual([]);
});

it('works out what is seen once for a snapshot and those who are alike, and apart for others', () => {
  const asked: string[] = [];
  const notes: Policy = {
    name: 'notes',
    sees: ({ upstream }, { principal, profile }) => {
      asked.push(`${principal.id} ${principal.owner ?? false} ${profile ?? ''}`);
      return upstream !== 'a' || principal.owner === true;
    },
  };
  const { open } = setUp(notes);
  const idsOf = (view: CatalogView) => view.upstreams().map(({ upstream }) => upstream);
  const first = open();
  expect([idsOf(first), first.count(), first.count('a'), first.count('b')]).toEqual([['b'], 1, 0, 1]);
  const times = asked.length;
  const second = open({ conversation: 'another' });
  expect([idsOf(second), second.count(), second.count('a'), second.count('b')]).toEqual([['b'], 1, 0, 1]);
  expect(second.list('tool')).toBe(first.list('tool'));
  expect([second.toolsOf('a'), second.toolsOf('b')]).toEqual([[], first.list('tool')]);
  expect(asked).toHaveLength(times);
  expect(idsOf(open({ principal: OWNER }))).toEqual(['a', 'b']);
  open({ profile: 'work' }).list('tool');
  open({ principal: toSharePrincipal('friend') }).list('tool');
  expect([...new Set(asked)]).toEqual([
    'local false ',
    'local true ',
    'local false work',
    'share:friend false ',
  ]);
});

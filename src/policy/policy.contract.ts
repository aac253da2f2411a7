/** What every policy must hold to, run by each policy's own test. */
import { describe, expect, it } from 'vitest';
import { createContext } from '../../test/support/contexts.ts';
import { createFakeUpstreams } from '../../test/support/fake-upstreams.ts';
import { openCatalog } from '../catalog/open-catalog.ts';
import { createFeed } from '../events/feed.ts';
import type { CallContext } from '../model/call.ts';
import type { Policy } from './policy.ts';
import { openView } from './view.ts';

/** A caller for whom the policy hides the upstream `hidden` and shows `open`. */
export interface PolicyCase {
  readonly policy: Policy;
  readonly caller: CallContext;
}

/** Opens a view with one policy over two upstreams, of which the policy may hide one. */
export function openWith(policy: Policy, context: CallContext = createContext()) {
  const upstreams = createFakeUpstreams({
    open: { tools: ['seen'], resources: ['o://1'], templates: ['o://{x}'], prompts: ['p'], tags: ['work'] },
    hidden: {
      tools: ['unseen'],
      resources: ['h://1'],
      templates: ['h://{x}'],
      prompts: ['q'],
      tags: ['home'],
    },
  });
  const names = { reserved: new Set<string>(), maxLength: 48 };
  const catalog = openCatalog({ upstreams, names: () => names, feed: createFeed() });
  return { upstreams, view: openView(catalog.current, catalog, [policy], context) };
}

/** Runs the suite. */
export function runPolicyContract({ policy, caller }: PolicyCase): void {
  describe(`the policy ${policy.name}`, () => {
    it('hides what it hides from lists and look-ups of every kind', () => {
      const { view } = openWith(policy, caller);
      for (const kind of ['tool', 'resource', 'template', 'prompt'] as const) {
        expect(view.list(kind).map((entry) => entry.upstream)).toEqual(['open']);
      }
      expect(view.find('tool', 'unseen')).toBeUndefined();
    });

    it('lets nothing hidden be used, by any way in', async () => {
      const { view, upstreams } = openWith(policy, caller);
      await expect(view.use('tool', 'unseen', {})).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' });
      await expect(view.use('prompt', 'q', {})).rejects.toMatchObject({ code: 'PROMPT_NOT_FOUND' });
      for (const uri of ['h://1', 'h://made', 'thimble://s/hidden/h://1']) {
        await expect(view.read(uri, { uri })).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
      }
      const complete = { ref: { type: 'ref/prompt', name: 'q' }, argument: { name: 'x', value: '' } };
      await expect(view.complete(complete)).rejects.toMatchObject({ code: 'PROMPT_NOT_FOUND' });
      expect(upstreams.seen).toEqual([]);
    });

    it('lets what it shows be used, once per use', async () => {
      const { view, upstreams } = openWith(policy, caller);
      await view.use('tool', 'seen', { name: 'seen' });
      await view.read('o://made', { uri: 'o://made' });
      expect(upstreams.seen.map(({ method }) => method)).toEqual(['tools/call', 'resources/read']);
    });
  });
}

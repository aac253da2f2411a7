/** What every policy must hold to, run by each policy's own test. */
import { describe, expect, it } from 'vitest';
import { createContext } from '../../test/support/contexts.ts';
import { createFakeUpstreams } from '../../test/support/fake-upstreams.ts';
import { openCatalog } from '../catalog/open-catalog.ts';
import type { ErrorCode } from '../errors/table.ts';
import { createFeed } from '../events/feed.ts';
import type { CallContext } from '../model/call.ts';
import type { Policy } from './policy.ts';
import { openView } from './view.ts';

/** A caller for whom the policy hides the upstream `hidden` and shows `open`. */
export interface PolicyCase {
  readonly policy: Policy;
  readonly caller: CallContext;
}

/** A caller for whom the policy refuses the tool `off` of the upstream `partly`, which is switched off, and no other. */
export interface RefusalCase extends PolicyCase {
  /** What the refusal is called. */
  readonly code: ErrorCode;
}

/** Opens a view with one policy over an upstream of which one tool is switched off. */
export function openPartly(policy: Policy, context: CallContext = createContext()) {
  const upstreams = createFakeUpstreams({
    partly: { tools: ['off', 'on'], disabledTools: ['off'] },
    other: { tools: ['off'] },
  });
  const names = { reserved: new Set<string>(), maxLength: 48 };
  const catalog = openCatalog({ upstreams, names: () => names, feed: createFeed() });
  return { upstreams, catalog, view: openView(catalog.current, catalog, [policy], context) };
}

/** Runs the suite for a policy that refuses. */
export function runRefusalContract({ policy, caller, code }: RefusalCase): void {
  describe(`the policy ${policy.name}`, () => {
    it('shows what it refuses in no list, look-up, count or search', async () => {
      const { view } = openPartly(policy, caller);
      expect(view.list('tool').map(({ publicName }) => publicName)).toEqual(['other__off', 'on']);
      expect(view.find('tool', 'partly__off')).toBeUndefined();
      expect(view.locate('tool', 'partly', 'off')).toBeUndefined();
      expect(view.named('tool', 'off').map(({ upstream }) => upstream)).toEqual(['other']);
      expect(view.count('partly')).toBe(1);
      const found = await view.search('off', { limit: 10 });
      expect(found.map(({ entry }) => entry.publicName)).not.toContain('partly__off');
    });

    it('answers every use of what it refuses with its own error, and lets the rest pass', async () => {
      const { view, upstreams } = openPartly(policy, caller);
      await expect(view.use('tool', 'partly__off', {})).rejects.toMatchObject({ code });
      expect(upstreams.seen).toEqual([]);
      await view.use('tool', 'on', {});
      await view.use('tool', 'other__off', {});
      expect(upstreams.seen.map(({ upstream }) => upstream)).toEqual(['partly', 'other']);
    });

    it('can be asked what it refuses by name alone', () => {
      const { view } = openPartly(policy, caller);
      expect(view.refused.list('tool').map(({ publicName }) => publicName)).toEqual(['partly__off']);
      expect(view.refused.find('tool', 'on')).toBeUndefined();
    });
  });
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

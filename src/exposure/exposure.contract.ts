/** What every mode must hold to, run by each mode's own test. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { createContext } from '../../test/support/contexts.ts';
import { createFakeUpstreams, type FakeOffer } from '../../test/support/fake-upstreams.ts';
import { openCatalog } from '../catalog/open-catalog.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { createFeed } from '../events/feed.ts';
import type { JsonObject } from '../model/json.ts';
import type { CatalogView } from '../policy/policy.ts';
import { profile } from '../policy/profile/policy.ts';
import { switchedOff } from '../policy/switched-off/policy.ts';
import { openView } from '../policy/view.ts';
import { createArgumentCheck } from './argument-check.ts';
import type { ExposureMode } from './exposure.ts';
import { createExposureOptions, type ExposureOptions } from './options.ts';
import type { ModePorts, ModeState } from './ports.ts';
import { MODES } from './registry.ts';
import { createShared } from './shared.ts';

/** How a mode is asked to run one upstream tool, since that differs by mode. */
export interface ModeDriver {
  readonly mode: ExposureMode;
  /** What has to be said first so that a server's tools can be called. */
  prepare?(server: string): { name: string; arguments: Record<string, string> };
  /** What the names look like that it makes for several tools together. */
  readonly made?: RegExp;
  toCall(
    server: string,
    tool: string,
    args: Record<string, string>,
  ): { name: string; arguments: Record<string, unknown> };
}

const POLICIES = [profile, switchedOff];

/** Opens a mode over fake upstreams. */
export function openMode(
  mode: ExposureMode,
  offers: Record<string, FakeOffer>,
  { profile: profileName, ...changes }: { readonly profile?: string } & Partial<ModePorts> = {},
) {
  const upstreams = createFakeUpstreams(offers);
  const names = { reserved: toReserved(changes.namespace ?? 'thimble'), maxLength: 48 };
  const catalog = openCatalog({ upstreams, names: () => names, feed: createFeed() });
  const exposure = mode.open({ ...createPorts(catalog.searchMemory), ...changes });
  const view = (): CatalogView =>
    openView(catalog.current, catalog, POLICIES, createContext({ profile: profileName }));
  return { upstreams, catalog, exposure, view };
}

/** The names that all modes keep, as the gateway keeps them. */
function toReserved(namespace: string): ReadonlySet<string> {
  return new Set(MODES.flatMap((mode) => mode.reserved(namespace)));
}

/** What tools of older systems are called now. */
const FORMER_NAMES: ReadonlyMap<string, string> = new Map([['list_things', 'thimble_thing action=list']]);

/** Ports as the gateway makes them. */
export function createPorts(searchMemory: ModePorts['searchMemory']): ModePorts {
  return {
    namespace: 'thimble',
    options: createExposureOptions(),
    maxName: () => 48,
    renamed: async (name) => FORMER_NAMES.get(name),
    argumentCheck: createArgumentCheck(),
    tokens: { count: async (text) => countTokens(text) },
    state: createPlainState(),
    kept: createPlainState(),
    shared: createShared(),
    searchMemory,
  };
}

/** Options with some of them changed. */
export function toOptions(changes: Partial<ExposureOptions>): ExposureOptions {
  return { ...createExposureOptions(), ...changes };
}

/** State in memory, for one endpoint. */
export function createPlainState(): ModeState {
  const states = new Map<string, JsonObject>();
  return {
    read: async (caller) => states.get(caller),
    async update(caller, change) {
      const next = change(states.get(caller));
      states.set(caller, next);
      return next;
    },
  };
}

/** Runs the suite. */
export function runExposureContract({ mode, toCall, prepare, made }: ModeDriver): void {
  const offers = { files: { tools: ['read', 'write'], tags: ['work'] }, mail: { tools: ['send'] } };
  const run = async (opened: ReturnType<typeof openMode>, server: string, tool: string) => {
    const first = prepare?.(server);
    if (first) await opened.exposure.call(first.name, first, opened.view());
    const { name, arguments: args } = toCall(server, tool, { x: '1' });
    return opened.exposure.call(name, { name, arguments: args as Record<string, string> }, opened.view());
  };

  describe(`the mode ${mode.name}`, () => {
    it('shows the same bytes for the same catalogue, whatever order it came in', async () => {
      const first = openMode(mode, offers);
      const second = openMode(mode, Object.fromEntries(Object.entries(offers).reverse()));
      expect(JSON.stringify(await first.exposure.tools(first.view()))).toBe(
        JSON.stringify(await second.exposure.tools(second.view())),
      );
    });

    it('reaches the tool behind it with the arguments unchanged', async () => {
      const opened = openMode(mode, offers);
      await run(opened, 'mail', 'send');
      expect(opened.upstreams.seen).toMatchObject([
        { upstream: 'mail', params: { name: 'send', arguments: { x: '1' } } },
      ]);
    });

    it('hands the result over whole', async () => {
      const opened = openMode(mode, offers);
      const result = {
        content: [{ type: 'text', text: 'x', vendor: 1 }],
        structuredContent: [1],
        isError: true,
        _meta: { a: 1 },
        odd: 2,
      };
      opened.upstreams.answer = async () => result;
      expect(await run(opened, 'files', 'read')).toEqual(result);
    });

    it('tells the new name of what is asked for by an old one, or leaves that to whoever asked it', async () => {
      const { exposure, view } = openMode(mode, offers);
      const said = await exposure.call('list_things', { name: 'list_things', arguments: {} }, view()).then(
        (result) => JSON.stringify(result),
        (error: unknown) => (error instanceof GatewayError ? error.code : 'another error'),
      );
      expect(said).toMatch(/^TOOL_NOT_FOUND$|use thimble_thing action=list/);
    });

    it('answers for a hidden tool exactly as for one that never was', async () => {
      const hidden = openMode(mode, offers, { profile: 'work' });
      const absent = openMode(mode, { files: offers.files }, { profile: 'work' });
      const outcome = (opened: ReturnType<typeof openMode>) =>
        run(opened, 'mail', 'send').then(
          (result) => result,
          (error: unknown) => ({ ...(error as object), message: String(error) }),
        );
      expect(await outcome(hidden)).toEqual(await outcome(absent));
      expect(hidden.upstreams.seen).toEqual([]);
    });

    it.each([[['send']], [['send', 'draft']]])(
      'says of a tool that is switched off that it is, and shows it nowhere: %j',
      async (disabledTools) => {
        const opened = openMode(mode, {
          ...offers,
          mail: { tools: ['send', 'draft'], disabledTools },
        });
        await expect(run(opened, 'mail', 'send')).rejects.toMatchObject({
          code: 'TOOL_DISABLED',
          message: expect.stringContaining('thimble server enable mail --tool send'),
        });
        expect(opened.upstreams.seen).toEqual([]);
        expect(JSON.stringify(await opened.exposure.tools(opened.view()))).not.toContain('send');
      },
    );

    it.each(['send', 'thimble_send'])('says so to who calls it as %s', async (name) => {
      const opened = openMode(mode, { ...offers, mail: { tools: ['send'], disabledTools: ['send'] } });
      await expect(opened.exposure.call(name, { name }, opened.view())).rejects.toMatchObject({
        code: 'TOOL_DISABLED',
      });
    });

    it('keeps its own names out of reach of upstreams, and shows no other', async () => {
      const own = toReserved('thimble');
      const { exposure, view } = openMode(mode, { evil: { tools: [...own, 'other'] }, files: offers.files });
      const visible = new Set(
        view()
          .list('tool')
          .map((entry) => entry.publicName),
      );
      for (const name of own) expect(visible).not.toContain(name);
      const shown = (await exposure.tools(view())).map(({ name }) => String(name));
      expect(new Set(shown).size).toBe(shown.length);
      const isExpected = (name: string) => visible.has(name) || own.has(name) || made?.test(name);
      expect(shown.filter((name) => !isExpected(name))).toEqual([]);
    });
  });
}

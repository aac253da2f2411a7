import { describe, expect, it } from 'vitest';
import { createContext } from '../../../test/support/contexts.ts';
import type { FakeOffer } from '../../../test/support/fake-upstreams.ts';
import type { JsonObject } from '../../model/json.ts';
import { openView } from '../../policy/view.ts';
import { category } from '../category/mode.ts';
import { direct } from '../direct/mode.ts';
import { createPlainState, openMode, runExposureContract, toOptions } from '../exposure.contract.ts';
import type { ModePorts } from '../ports.ts';
import { search } from '../search/mode.ts';
import { createAuto } from './mode.ts';

const auto = createAuto({ direct, category, search });

runExposureContract({ mode: auto, toCall: (_server, tool, args) => ({ name: tool, arguments: args }) });
runExposureContract({
  mode: { ...auto, open: (ports) => auto.open({ ...ports, ...optionsOf(1) }) },
  toCall: (server, tool, args) => ({
    name: 'execute_mcp_tool',
    arguments: { tool_path: `${server}:${tool}`, arguments: args },
  }),
});

/** Tokens as characters: plain enough to reckon with. */
const letters = { count: async (said: string) => said.length };
const toTools = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `tool_${from + at}`);
const SEARCH = ['discover_mcp_tools', 'execute_mcp_tool', 'list_mcp_resources', 'read_mcp_resource'];

function setUp(offers: Record<string, FakeOffer>, changes: Partial<ModePorts> & { client?: string } = {}) {
  const { client = 'test', ...ports } = changes;
  const given = { tokens: letters, kept: createPlainState(), ...ports };
  const opened = openMode(auto, offers, given);
  const context = createContext();
  const view = () =>
    openView(opened.catalog.current, opened.catalog, [], {
      ...context,
      facts: { ...context.facts, name: client },
    });
  const tools = () => opened.exposure.tools(view());
  const names = async () => (await tools()).map(({ name }) => String(name));
  const call = (name: string, args: JsonObject = {}) =>
    opened.exposure.call(name, { name, arguments: args }, view());
  const explain = () => opened.exposure.explain?.(view());
  return { ...opened, view, tools, names, call, explain, kept: given.kept };
}

function optionsOf(budget: number, categoryBudget = 100_000, enabled = true) {
  return { options: toOptions({ auto: { budget }, category: { enabled, budget: categoryBudget } }) };
}

async function sizeIn(mode: typeof direct, offers: Record<string, FakeOffer>): Promise<number> {
  const { exposure, view } = openMode(mode, offers);
  return JSON.stringify({ tools: await exposure.tools(view()) }).length;
}

describe('the rule', () => {
  const offers = { a: { tools: toTools(30) }, b: { tools: toTools(30, 30) } };

  it('shows every tool up to the budget and not a token beyond', async () => {
    const size = await sizeIn(direct, offers);
    expect(await setUp(offers, optionsOf(size)).names()).toHaveLength(60);
    expect(await setUp(offers, optionsOf(size - 1)).names()).toEqual([
      'thimble_a',
      'thimble_b',
      'thimble_tools',
      'thimble_discover',
    ]);
  });

  it('shows one tool a server up to the budget, else the four of search', async () => {
    const size = await sizeIn(category, offers);
    expect(await setUp(offers, optionsOf(size)).names()).toContain('thimble_a');
    expect(await setUp(offers, optionsOf(size - 1)).names()).toEqual(SEARCH);
  });

  it('passes over category where that would fold a server away or is switched off', async () => {
    const size = await sizeIn(category, offers);
    expect(await setUp(offers, optionsOf(size, size)).names()).toContain('thimble_a');
    expect(await setUp(offers, optionsOf(size, size - 1)).names()).toEqual(SEARCH);
    expect(await setUp(offers, optionsOf(size, size, false)).names()).toEqual(SEARCH);
  });

  it('shows nothing where there is nothing', async () => {
    expect(await setUp({}).names()).toEqual([]);
  });

  it('says which and why', async () => {
    const size = await sizeIn(category, offers);
    expect(await setUp(offers, optionsOf(100_000)).explain()).toEqual({
      mode: 'direct',
      reason: 'all 60 tools fit in 100000 tokens',
    });
    expect(await setUp(offers, optionsOf(size)).explain()).toEqual({
      mode: 'category',
      reason: `60 tools do not fit in ${size} tokens; one tool for each server does`,
    });
    expect(await setUp(offers, optionsOf(500)).explain()).toEqual({
      mode: 'search',
      reason: '60 tools do not fit in 500 tokens, nor does one for each server',
    });
  });
});

describe('a client that looks for tools itself', () => {
  const clients = ['claude-code', 'Claude-Code', 'copilot-cli', 'github-copilot-developer', 'openai-mcp'];

  it.each(clients)('%s is given up to 128 tools whole, whatever they cost the others', async (client) => {
    const few = { a: { tools: toTools(128) } };
    expect(await setUp(few, { client, ...optionsOf(500) }).names()).toHaveLength(128);
    const many = { a: { tools: toTools(129) } };
    expect(await setUp(many, { client, ...optionsOf(100_000) }).names()).toEqual(SEARCH);
  });

  it('is given up to 60,000 tokens whole', async () => {
    const toOffer = (length: number) => ({
      a: { tools: [{ name: 't', inputSchema: {}, description: 'x'.repeat(length) }] },
    });
    const rest = await sizeIn(direct, toOffer(0));
    const client = 'claude-code';
    expect(await setUp(toOffer(60_000 - rest), { client }).names()).toEqual(['t']);
    expect(await setUp(toOffer(60_001 - rest), { client }).names()).toEqual(SEARCH);
  });
});

describe('a client that takes only so many tools', () => {
  it('is not given more, of servers neither', async () => {
    const client = 'cursor-vscode';
    const free = optionsOf(100_000);
    expect(await setUp({ a: { tools: toTools(40) } }, { client, ...free }).names()).toHaveLength(40);
    const over = setUp({ a: { tools: toTools(41) } }, { client, ...free });
    expect(await over.names()).toEqual(['thimble_a', 'thimble_tools', 'thimble_discover']);
    expect((await over.explain())?.reason).toContain(
      '41 tools are more than the 40 that cursor-vscode takes',
    );
    const servers = Object.fromEntries(
      toTools(41).map((tool) => [tool.replace('_', '-'), { tools: [tool] }]),
    );
    expect(await setUp(servers, { client, ...free }).names()).toEqual(SEARCH);
  });

  it('that is not known gets the plain rule', async () => {
    expect(
      await setUp({ a: { tools: toTools(300) } }, { client: 'new', ...optionsOf(100_000) }).names(),
    ).toHaveLength(300);
  });
});

describe('the choice', () => {
  const offers = { a: { tools: toTools(10) }, b: { tools: toTools(10, 10) } };

  it('survives three new tools', async () => {
    const size = await sizeIn(direct, offers);
    const { names, upstreams } = setUp(offers, optionsOf(size));
    expect(await names()).toHaveLength(20);
    upstreams.set('b', { tools: toTools(13, 10) });
    expect(await names()).toHaveLength(23);
  });

  it('is made anew when the budget, the servers or a first contact change', async () => {
    const size = await sizeIn(direct, offers);
    const kept = createPlainState();
    const first = setUp(offers, { kept, ...optionsOf(size) });
    expect(await first.names()).toHaveLength(20);
    expect(await setUp(offers, { kept, ...optionsOf(500) }).names()).toEqual(SEARCH);
    const again = setUp(offers, { kept, ...optionsOf(size) });
    expect(await again.names()).toHaveLength(20);
    const answer = again.upstreams.setUnknown('c');
    expect(await again.names()).toHaveLength(20);
    answer({ tools: ['one_more'] });
    expect(await again.names()).not.toHaveLength(21);
  });

  it('is kept while a server never answers', async () => {
    const size = await sizeIn(direct, offers);
    const { names, upstreams } = setUp(offers, optionsOf(size));
    upstreams.setUnknown('silent');
    expect(await names()).toHaveLength(20);
    upstreams.set('b', { tools: toTools(13, 10) });
    expect(await names()).toHaveLength(23);
  });

  it('is one for each client', async () => {
    const kept = createPlainState();
    const shared = { kept, ...optionsOf(500) };
    expect(await setUp(offers, { client: 'claude-code', ...shared }).names()).toHaveLength(20);
    expect(await setUp(offers, { client: 'other', ...shared }).names()).toEqual(SEARCH);
    expect(await setUp(offers, { client: 'claude-code', ...shared }).names()).toHaveLength(20);
  });

  it('is not taken from what cannot be read', async () => {
    const kept = createPlainState();
    const { names, view } = setUp(offers, { kept, ...optionsOf(100_000) });
    await names();
    await kept.update(view().caller, (now) => ({ ...now, mode: 'toString' }));
    expect(await names()).toHaveLength(20);
  });
});

describe('a call', () => {
  const offers = {
    fetch: { tools: ['fetch', 'head'] },
    files: { tools: ['read'] },
    more: { tools: toTools(40) },
  };
  const small = async () => optionsOf(await sizeIn(category, offers));

  it('is tried in all three choices', async () => {
    const choiceOf = async (options: ReturnType<typeof optionsOf>) =>
      (await setUp(offers, options).explain())?.mode;
    expect(await choiceOf(optionsOf(100_000))).toBe('direct');
    expect(await choiceOf(await small())).toBe('category');
    expect(await choiceOf(optionsOf(500))).toBe('search');
  });

  it.each([
    ['head', {}, 'head'],
    ['thimble_head', {}, 'head'],
    ['thimble_files', { action: 'read' }, 'read'],
    ['files', { action: 'read' }, 'read'],
    ['thimble_tools', { action: 'files:read' }, 'read'],
    ['tools', { action: 'files:read' }, 'read'],
    ['execute_mcp_tool', { tool_path: 'files:read' }, 'read'],
  ])('of %s works whatever was chosen', async (name, args, tool) => {
    for (const options of [optionsOf(100_000), await small(), optionsOf(500)]) {
      const { call, upstreams } = setUp(offers, options);
      await call(name, args);
      expect(upstreams.seen).toMatchObject([{ params: { name: tool } }]);
    }
  });

  it('of a name that is both a server and its tool means what is shown', async () => {
    const args = { action: 'head', params: { x: 1 } };
    const wide = setUp(offers, optionsOf(100_000));
    await wide.call('thimble_fetch', args);
    expect(wide.upstreams.seen).toMatchObject([{ params: { name: 'fetch', arguments: args } }]);
    const narrow = setUp(offers, await small());
    await narrow.call('thimble_fetch', args);
    expect(narrow.upstreams.seen).toMatchObject([{ params: { name: 'head', arguments: { x: 1 } } }]);
  });

  it.each(['execute_mcp_tool', 'thimble_tools'])(
    'of %s, which the only server has too, means what is shown',
    async (name) => {
      const only = { x: { tools: [name, 'read', ...toTools(40)] } };
      const wide = setUp(only, optionsOf(100_000));
      await wide.call(name);
      expect(wide.upstreams.seen).toMatchObject([{ params: { name } }]);
      const narrow = setUp(
        only,
        name === 'thimble_tools' ? optionsOf(await sizeIn(category, only)) : optionsOf(500),
      );
      await narrow.call(name, { tool_path: 'x:read', action: 'x:read' });
      expect(narrow.upstreams.seen).toMatchObject([{ params: { name: 'read' } }]);
    },
  );

  it('of what never was is answered in the way of what is shown', async () => {
    await expect(setUp(offers, optionsOf(100_000)).call('thimble_zzzz')).rejects.toThrow('no tool is called');
    expect(await setUp(offers, optionsOf(500)).call('zzzz')).toMatchObject({ isError: true });
  });
});

it('tells how to use a tool in the way of what was chosen', async () => {
  const offers = { a: { tools: toTools(40) } };
  const mention = async (budget: number) => {
    const { exposure, view } = setUp(offers, optionsOf(budget));
    const entry = view().locate('tool', 'a', 'tool_1');
    return entry && exposure.mention(entry, view());
  };
  expect(await mention(100_000)).toBe('tool_1');
  expect(await mention(await sizeIn(category, offers))).toBe('thimble_a action "tool_1"');
  expect(await mention(500)).toBe('execute_mcp_tool a:tool_1');
});

it('recalls its choice once for all that a greeting mentions', async () => {
  const kept = createPlainState();
  let reads = 0;
  const counting: typeof kept = {
    ...kept,
    read(caller) {
      reads += 1;
      return kept.read(caller);
    },
  };
  const { exposure, view } = setUp({ a: { tools: toTools(40) } }, { kept: counting });
  const greeted = view();
  await Promise.all(greeted.list('tool').map((entry) => exposure.mention(entry, greeted)));
  expect(reads).toBe(1);
  await exposure.tools(view());
  expect(reads).toBe(2);
});

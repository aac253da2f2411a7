import { describe, expect, it } from 'vitest';
import { readCoreOffers } from '../../../test/support/core-tools.ts';
import type { FakeOffer } from '../../../test/support/fake-upstreams.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import type { JsonObject } from '../../model/json.ts';
import { openMode, runExposureContract, toOptions } from '../exposure.contract.ts';
import type { ExposureMode } from '../exposure.ts';
import { category, router } from './mode.ts';

const toCall = (server: string, tool: string, params: Record<string, string>) => ({
  name: `thimble_${server}`,
  arguments: { action: tool, params },
});
const toSharedCall = (server: string, tool: string, params: Record<string, string>) => ({
  name: 'thimble_tools',
  arguments: { action: `${server}:${tool}`, params },
});
const made = /^thimble_(evil|files)$/;
runExposureContract({ mode: category, toCall, made });
runExposureContract({ mode: category, toCall: toSharedCall, made });
runExposureContract({ mode: router, toCall: toSharedCall });

const tool = (name: string, properties: JsonObject = {}, required: string[] = [], description = '') => ({
  name,
  ...(description === '' ? {} : { description }),
  inputSchema: { type: 'object', properties, required, additionalProperties: false },
});
const text = { type: 'string' };
const createIssue = tool(
  'create_issue',
  { owner: text, title: text, labels: { type: 'array', items: text }, state: { enum: ['open', 'closed'] } },
  ['owner', 'title'],
  'Create a new issue in a repository. Long text follows here.',
);
const offers: Record<string, FakeOffer> = {
  github: { tools: [createIssue, tool('get_issue', { number: { type: 'integer' } }, ['number'])] },
  files: { tools: ['read', 'list'] },
};

function setUp(
  more: Record<string, FakeOffer> = offers,
  { mode = category, ...changes }: { mode?: ExposureMode } & Parameters<typeof openMode>[2] = {},
) {
  const opened = openMode(mode, more, changes);
  const call = (name: string, args: JsonObject = {}) =>
    opened.exposure.call(name, { name, arguments: args }, opened.view());
  const say = async (name: string, args: JsonObject = {}) => {
    const result = await call(name, args);
    return (result['content'] as { text: string }[])[0]?.text ?? '';
  };
  const tools = () => opened.exposure.tools(opened.view());
  const names = async () => (await tools()).map(({ name }) => String(name));
  const descriptionOf = async (name: string) =>
    String((await tools()).find((shown) => shown['name'] === name)?.['description']);
  return { ...opened, call, say, tools, names, descriptionOf };
}

/** Tokens as characters: plain enough to reckon with. */
const letters = { count: async (said: string) => said.length };
const budgetOf = (budget: number) => ({
  options: toOptions({ category: { enabled: true, budget } }),
  tokens: letters,
});

describe('the surface', () => {
  it('has one tool a server, then one for the rest and one that explains', async () => {
    expect(await setUp().names()).toEqual([
      'thimble_files',
      'thimble_github',
      'thimble_tools',
      'thimble_discover',
    ]);
  });

  it('keeps a server that is rarely needed behind the one for the rest', async () => {
    const { names, call, upstreams } = setUp({ ...offers, manage: { tools: ['mend'], aside: true } });
    expect(await names()).not.toContain('thimble_manage');
    await call('thimble_tools', { action: 'manage:mend' });
    expect(upstreams.seen.at(-1)).toMatchObject({ upstream: 'manage', params: { name: 'mend' } });
  });

  it('takes an action and its parameters', async () => {
    const [shown] = await setUp().tools();
    expect(shown?.['inputSchema']).toEqual({
      type: 'object',
      properties: { action: { type: 'string' }, params: { type: 'object' } },
      required: ['action'],
    });
  });

  it('leaves out servers that have no tools', async () => {
    expect(await setUp({ ...offers, notes: { resources: ['note://a'] } }).names()).not.toContain(
      'thimble_notes',
    );
  });

  it('tells a server apart whose name is one of ours, and reaches it', async () => {
    const { names, call, upstreams, say } = setUp({
      tools: { tools: ['a'] },
      discover: { tools: ['b'] },
      server: { tools: ['c'] },
    });
    expect(await names()).toEqual([
      'thimble_discover_server',
      'thimble_server_server',
      'thimble_tools_server',
      'thimble_tools',
      'thimble_discover',
    ]);
    await call('thimble_tools_server', { action: 'a' });
    expect(upstreams.seen).toMatchObject([{ upstream: 'tools', params: { name: 'a' } }]);
    expect(await say('thimble_discover')).toContain('tools_server: 1 action\ntools: no other servers');
    expect(await say('thimble_discover', { category: 'tools_server' })).toBe('a()');
    expect(await say('thimble_discover', { category: 'server' })).toBe('c()');
  });

  it('is the same whether or not a server can be used', async () => {
    const up = setUp();
    const down = setUp();
    down.upstreams.answer = async () => {
      throw new GatewayError('UPSTREAM_UNAVAILABLE', 'github is down');
    };
    await down.call('thimble_files', { action: 'read' });
    expect(JSON.stringify(await down.tools())).toBe(JSON.stringify(await up.tools()));
  });

  it('begins with what the server says it is, as a sentence of its own', async () => {
    const about = (offer: FakeOffer) => setUp({ x: { tools: ['a'], ...offer } }).descriptionOf('thimble_x');
    expect(await about({ title: 'GitHub' })).toBe('GitHub. Actions:\na()');
    expect(await about({ instructions: 'Works with issues. Ask first.' })).toBe(
      'Works with issues. Actions:\na()',
    );
    expect(await about({ title: 'X' })).toBe('Actions:\na()');
  });
});

describe('the budget', () => {
  const wordy = (name: string) => tool(name, {}, [], 'Does whatever nobody thought of');
  const many = {
    big: { tools: Array.from({ length: 9 }, (_, at) => wordy(`b${at}`)) },
    mid: { tools: Array.from({ length: 5 }, (_, at) => wordy(`m${at}`)) },
    small: { tools: [wordy('s')] },
  };
  const sizeOf = async (opened: ReturnType<typeof setUp>) =>
    JSON.stringify({ tools: await opened.tools() }).length;

  it('lets words go before servers, then folds the largest away, and gives words back to those left', async () => {
    const whole = await sizeOf(setUp(many, budgetOf(10_000)));
    const bare = setUp(many, budgetOf(whole - 1));
    expect(await bare.names()).toContain('thimble_big');
    expect(await bare.descriptionOf('thimble_small')).toBe('Actions:\ns()');
    const folded = setUp(many, budgetOf((await sizeOf(bare)) - 1));
    expect(await folded.names()).toEqual([
      'thimble_mid',
      'thimble_small',
      'thimble_tools',
      'thimble_discover',
    ]);
    expect(await folded.descriptionOf('thimble_small')).toBe(
      'Actions:\ns(): Does whatever nobody thought of',
    );
    expect(await folded.descriptionOf('thimble_tools')).toBe('Call tools of other servers: big');
  });

  it('is kept whatever it is', async () => {
    for (let budget = 650; budget < 1_800; budget += 50) {
      expect(await sizeOf(setUp(many, budgetOf(budget)))).toBeLessThanOrEqual(budget);
    }
  });

  it('has no hold on the fixed layout', async () => {
    const core = Object.fromEntries(
      Object.entries(many).map(([id, offer]) => [id, { ...offer, core: true }]),
    );
    expect(await setUp(core, { mode: router, ...budgetOf(500) }).names()).toHaveLength(5);
  });

  it('still lets what was folded away be called by its category', async () => {
    const { call, upstreams, names } = setUp(many, budgetOf(700));
    expect(await names()).not.toContain('thimble_big');
    await call('thimble_big', { action: 'b0' });
    expect(upstreams.seen).toMatchObject([{ upstream: 'big', params: { name: 'b0' } }]);
  });
});

describe('the fixed layout', () => {
  const core = readCoreOffers();

  it('has seven tools, whatever else is configured', async () => {
    const { names, descriptionOf } = setUp({ ...core, ...offers }, { mode: router });
    expect(await names()).toHaveLength(7);
    expect(await descriptionOf('thimble_tools')).toBe('Call tools of other servers: files, github');
  });

  it.each(['crow', 'jarvis'])('understands names with and without the prefix %s', async (namespace) => {
    const { call, say, upstreams, names } = setUp({ ...core, ...offers }, { mode: router, namespace });
    expect(await names()).toContain(`${namespace}_memory`);
    const params = { content: 'x' };
    for (const name of [`${namespace}_memory`, 'memory', `${namespace}_tools`, 'tools']) {
      for (const action of [
        'store_memory',
        `${namespace}_store_memory`,
        `memory:${namespace}_store_memory`,
      ]) {
        await call(name, { action, params });
        expect(upstreams.seen.at(-1)).toMatchObject({ upstream: 'memory', params: { name: 'store_memory' } });
      }
    }
    expect(upstreams.seen).toHaveLength(12);
    for (const name of [`${namespace}_discover`, 'discover']) {
      expect(await say(name)).toContain('memory: 12 actions');
      const args = { category: `${namespace}_memory`, action: `${namespace}_store_memory` };
      expect(await say(name, args)).toMatch(/^memory:store_memory \{/);
      expect(await say(name, { category: 'tools', action: 'github_create_issue' })).toMatch(
        /^github:create_issue \{/,
      );
    }
  });

  it('is laid out once for a snapshot, whoever asks and however often', async () => {
    let counted = 0;
    const tokens = { count: async () => ++counted };
    const { exposure, view, upstreams } = setUp(offers, { tokens });
    await exposure.tools(view());
    const once = counted;
    for (const entry of view().list('tool')) await exposure.mention(entry, view());
    expect([once > 0, counted]).toEqual([true, once]);
    upstreams.set('mail', { tools: ['send'] });
    await exposure.tools(view());
    expect(counted).toBeGreaterThan(once);
  });

  it('tells where everything is', async () => {
    const { exposure, view } = setUp({ ...core, ...offers }, { mode: router });
    const mention = async (server: string, name: string) => {
      const entry = view().locate('tool', server, name);
      return entry && exposure.mention(entry, view());
    };
    expect(await mention('memory', 'store_memory')).toBe('thimble_memory action "store_memory"');
    expect(await mention('files', 'read')).toBe('thimble_tools action "files:read"');
  });
});

describe('a call', () => {
  it.each([
    'github:get_issue',
    'github-get_issue',
    'github__get_issue',
    'github/get_issue',
    'github_get_issue',
    'get_issue',
    'thimble_get_issue',
    'github:thimble_get_issue',
    '`github:get_issue`',
  ])('of <ns>_tools understands %s', async (action) => {
    const { call, upstreams } = setUp();
    await call('thimble_tools', { action, params: { number: 1 } });
    expect(upstreams.seen).toMatchObject([
      { upstream: 'github', params: { name: 'get_issue', arguments: { number: 1 } } },
    ]);
  });

  it('refuses a name that two servers have, with both', async () => {
    const { call, say, upstreams } = setUp({ a: { tools: ['read'] }, b: { tools: ['read'] } });
    expect(await say('thimble_tools', { action: 'read' })).toBe(
      '"read" could be a:read or b:read; say which',
    );
    expect(upstreams.seen).toEqual([]);
    await call('thimble_b', { action: 'read' });
    expect(upstreams.seen).toMatchObject([{ upstream: 'b' }]);
  });

  it.each([
    { params: { number: 1 } },
    { number: 1 },
    { params: '{"number": 1}' },
    { params: null, number: 1 },
    { params: '', number: 1 },
  ])('takes its parameters as %j', async (given) => {
    const { call, upstreams } = setUp();
    await call('thimble_github', { action: 'get_issue', ...given });
    expect(upstreams.seen).toMatchObject([{ params: { arguments: { number: 1 } } }]);
  });

  it('lets a tool have an action of its own', async () => {
    const { call, upstreams } = setUp({ x: { tools: [tool('set', { action: text }, ['action'])] } });
    await call('thimble_x', { action: 'set', params: { action: 'get' } });
    expect(upstreams.seen).toMatchObject([{ params: { name: 'set', arguments: { action: 'get' } } }]);
  });

  it.each([
    [{}],
    [{ action: '' }],
    [{ action: 5 }],
    [{ action: 'get_issue', params: [] }],
    [{ action: 'get_issue', params: 'number 1' }],
  ])('answers %j with what to do', async (args) => {
    const { call, upstreams } = setUp();
    expect(await call('thimble_github', args as JsonObject)).toMatchObject({ isError: true });
    expect(upstreams.seen).toEqual([]);
  });

  it('says each fault, the nearest name and the signature, and sends nothing', async () => {
    const { say, upstreams } = setUp();
    const params = { owner: 5, titel: 'x' };
    expect(await say('thimble_github', { action: 'create_issue', params })).toBe(
      [
        'the arguments of github:create_issue are wrong:',
        '- "title" is missing',
        '- "titel" is not known (did you mean "title"?)',
        '- owner: has to be string',
        'github:create_issue(owner: string, title: string, labels?: string[], state?: "open"|"closed")',
      ].join('\n'),
    );
    expect(upstreams.seen).toEqual([]);
  });

  it('answers an unknown action with the nearest and the valid ones', async () => {
    const { say, call } = setUp();
    expect(await say('thimble_github', { action: 'create_isue' })).toBe(
      'github has no action "create_isue"; the nearest: create_issue; its actions are create_issue, get_issue',
    );
    expect(await call('thimble_github', { action: 'files:read' })).toMatchObject({ isError: true });
  });

  it('answers an unknown tool with at most three near ones, or with where to look', async () => {
    const { say } = setUp();
    expect(await say('thimble_tools', { action: 'github:get_isue' })).toBe(
      'no tool is called "github:get_isue"; the nearest: github:get_issue, github:create_issue',
    );
    expect(await say('thimble_tools', { action: 'zzzzzzzz' })).toBe(
      'no tool is called "zzzzzzzz"; thimble_discover lists them',
    );
  });

  it('of a tool by its own name is told the way to it', async () => {
    const { say } = setUp();
    expect(await say('get_issue', { number: 1 })).toBe(
      'no tool is called "get_issue" here; call thimble_github action "get_issue"',
    );
    expect(await say('thimble_nothing')).toBe(
      'no tool is called "thimble_nothing" here; thimble_discover lists what there is',
    );
  });

  it('says in words when the server cannot be reached', async () => {
    const { call, upstreams } = setUp();
    upstreams.answer = async () => {
      throw new GatewayError('UPSTREAM_UNAVAILABLE', 'files did not start');
    };
    expect(await call('thimble_files', { action: 'read' })).toMatchObject({
      isError: true,
      content: [{ text: 'files did not start' }],
    });
  });
});

describe('discovery', () => {
  it('without arguments lists categories with counts', async () => {
    expect(await setUp().say('thimble_discover')).toBe(
      'files: 2 actions\ngithub: 2 actions\ntools: no other servers\nthimble_discover with a category lists its actions',
    );
  });

  it('of a category lists its actions with signatures', async () => {
    expect(await setUp().say('thimble_discover', { category: 'github' })).toBe(
      [
        'create_issue(owner: string, title: string, labels?: string[], state?: "open"|"closed") Create a new issue in a repository.',
        'get_issue(number: integer)',
      ].join('\n'),
    );
  });

  it('of "tools" lists those without a tool of their own, by server', async () => {
    const { say } = setUp(offers, { mode: router });
    expect(await say('thimble_discover')).toContain('tools: 4 actions of files, github');
    expect((await say('thimble_discover', { category: 'tools' })).split('\n').slice(0, 4)).toEqual([
      'files:',
      '  list()',
      '  read()',
      'github:',
    ]);
  });

  it('of very many lists counts by server, and names them all for one', async () => {
    const huge = { tools: Array.from({ length: 350 }, (_, at) => `some_rather_long_name_${at}`) };
    const { say } = setUp({ huge }, { mode: router });
    expect(await say('thimble_discover', { category: 'tools' })).toBe(
      'huge: 350 actions\none of these as category lists its actions',
    );
    const names = (await say('thimble_discover', { category: 'huge' })).split(', ');
    expect(names).toHaveLength(350);
  });

  it('of an action gives the whole schema, with or without its category', async () => {
    const { say } = setUp();
    for (const args of [{ category: 'github', action: 'create_issue' }, { action: 'create_issue' }]) {
      const said = await say('thimble_discover', args);
      expect(said).toMatch(/^github:create_issue \{/);
      expect(JSON.parse(said.slice(said.indexOf('{')))).toEqual(createIssue);
    }
  });

  it.each([
    [{ category: 'githup' }, 'did you mean "github"?'],
    [{ category: 'zzzzzz' }, 'there are files, github, tools'],
    [{ category: 5 }, 'category has to be'],
    [{ action: 5 }, 'action has to be'],
    [{ category: 'github', action: 'get_isue' }, 'the nearest: get_issue; its actions are'],
    [{ action: 'get_isue' }, 'the nearest: github:get_issue'],
  ])('answers %j with what to do', async (args, hint) => {
    const { call, say } = setUp();
    expect(await call('thimble_discover', args as JsonObject)).toMatchObject({ isError: true });
    expect(await say('thimble_discover', args as JsonObject)).toContain(hint);
  });

  it('has room for so much and not more, however many servers there are', async () => {
    const many = Array.from({ length: 1_000 }, (_, at) => [`server_number_${at}`, { tools: ['read'] }]);
    const { say, upstreams } = setUp(Object.fromEntries(many), { mode: router });
    for (let at = 0; at < 1_000; at++) upstreams.setUnknown(`unmet_number_${at}`);
    const answers = [
      await say('thimble_discover'),
      await say('thimble_discover', { category: 'tools' }),
      await say('thimble_discover', { action: 'read' }),
      await say('read'),
    ];
    for (const said of answers) {
      expect(said).toMatch(/ and \d+ more/);
      expect(said.length).toBeLessThan(15_000);
    }
  });

  it('says of a server that never answered how it stands', async () => {
    const { say, upstreams, names } = setUp();
    upstreams.setUnknown('silent');
    const said = 'silent has not answered yet; its actions are not known';
    expect(await say('thimble_discover')).toContain(said);
    expect(await say('thimble_discover', { category: 'silent' })).toBe(said);
    expect(await say('thimble_silent', { action: 'x' })).toBe(said);
    expect(await say('thimble_tools', { action: 'silent:x' })).toBe(said);
    expect(await names()).not.toContain('thimble_silent');
  });
});

describe.each([category, router])('what is hidden in $name', (mode) => {
  it('is answered as if it never was, whatever is asked', async () => {
    const work = { ...offers['github'], tags: ['work'] };
    const hidden = setUp({ github: work, files: offers['files'] ?? {} }, { mode, profile: 'work' });
    const absent = setUp({ github: work }, { mode, profile: 'work' });
    const asked: [string, JsonObject][] = [
      ['thimble_files', { action: 'read' }],
      ['thimble_files', {}],
      ['thimble_tools', { action: 'files:read' }],
      ['thimble_tools', { action: 'read' }],
      ['thimble_discover', {}],
      ['thimble_discover', { category: 'files' }],
      ['thimble_discover', { category: 'tools' }],
      ['thimble_discover', { category: 'files', action: 'read' }],
      ['thimble_discover', { action: 'read' }],
      ['read', {}],
    ];
    for (const [name, args] of asked)
      expect(await hidden.call(name, args)).toEqual(await absent.call(name, args));
    expect(await hidden.tools()).toEqual(await absent.tools());
    expect(hidden.upstreams.seen).toEqual([]);
  });
});

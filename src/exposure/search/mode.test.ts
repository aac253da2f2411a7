import { describe, expect, it } from 'vitest';
import type { FakeOffer } from '../../../test/support/fake-upstreams.ts';
import { quickestOf } from '../../../test/support/quickest.ts';
import { GatewayError, RpcError } from '../../errors/gateway-error.ts';
import type { JsonObject } from '../../model/json.ts';
import { openMode, runExposureContract } from '../exposure.contract.ts';
import { search } from './mode.ts';

runExposureContract({
  mode: search,
  toCall: (server, tool, args) => ({
    name: 'execute_mcp_tool',
    arguments: { tool_path: `${server}:${tool}`, arguments: args },
  }),
});

const createIssue = {
  name: 'create_issue',
  description: 'Create a new issue in a repository. Long text follows here.',
  inputSchema: {
    type: 'object',
    properties: {
      owner: { type: 'string' },
      title: { type: 'string' },
      labels: { type: 'array', items: { type: 'string' } },
      state: { type: 'string', enum: ['open', 'closed'], default: 'open' },
    },
    required: ['owner', 'title'],
    additionalProperties: false,
  },
};
const listFiles = {
  name: 'list_files',
  description: 'List the files in a folder',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  annotations: { readOnlyHint: true },
  _meta: { ui: { resourceUri: 'ui://files/list' } },
};
const offers: Record<string, FakeOffer> = {
  github: { tools: [createIssue, 'get_issue'], resources: ['repo://readme'] },
  files: { tools: [listFiles], resources: ['file:///a', 'ui://files/list'], templates: ['file:///{path}'] },
};

function setUp(more: Record<string, FakeOffer> = offers) {
  const opened = openMode(search, more);
  const call = (name: string, args: JsonObject) =>
    opened.exposure.call(name, { name, arguments: args }, opened.view());
  const textOf = (result: JsonObject) => (result['content'] as { text: string }[])[0]?.text ?? '';
  const discover = async (args: JsonObject) => textOf(await call('discover_mcp_tools', args));
  const execute = (tool_path: string, args: JsonObject = {}) =>
    call('execute_mcp_tool', { tool_path, arguments: args });
  return { ...opened, call, textOf, discover, execute };
}

describe('discover_mcp_tools', () => {
  it('finds the tool for a step and says how to call it', async () => {
    const text = await setUp().discover({ query: 'github create issue' });
    expect(text.split('\n').slice(0, 2)).toEqual([
      'github:create_issue(owner: string, title: string, labels?: string[], state?: "open"|"closed" ="open")',
      '  Create a new issue in a repository.',
    ]);
    expect(text).toMatch(/\n\d of 3$/);
  });

  it('marks what only reads, and hands metadata over beside the text', async () => {
    const { call, textOf } = setUp();
    const result = await call('discover_mcp_tools', { query: 'list files', limit: 1 });
    expect(textOf(result)).toContain('[read-only]');
    expect(result['_meta']).toMatchObject({
      hits: [{ path: 'files:list_files', transport: 'fake', _meta: listFiles._meta }],
    });
  });

  it.each(['github:get_issue', 'github__get_issue', 'get_issue', 'thimble_get_issue'])(
    'puts %s itself first',
    async (query) => {
      expect(await setUp().discover({ query })).toMatch(/^github:get_issue\(/);
    },
  );

  it('gives whole schemas when asked', async () => {
    const text = await setUp().discover({ query: 'create_issue', limit: 1, detail: 'schema' });
    expect(text).toContain('"additionalProperties":false');
  });

  it('lists the servers with counts for "*"', async () => {
    expect(await setUp().discover({ query: '*' })).toBe('files 1 tools\ngithub 2 tools');
  });

  it('narrows to one server and names the nearest for a wrong one', async () => {
    expect(await setUp().discover({ query: 'issue', server: 'files' })).not.toContain('github');
    expect(await setUp().discover({ query: 'issue', server: 'githup' })).toContain('did you mean "github"?');
  });

  it('says why nothing was found and what to try', async () => {
    expect(await setUp({ empty: { prompts: ['p'] } }).discover({ query: 'zzzzqqq' })).toContain(
      'no tool matches',
    );
  });

  it.each([
    [{}],
    [{ query: '' }],
    [{ query: 5 }],
    [{ query: 'x', limit: 'many' }],
    [{ query: 'x', server: 5 }],
  ])('answers %j with what to do, not with a failure', async (args) => {
    expect(await setUp().call('discover_mcp_tools', args as JsonObject)).toMatchObject({ isError: true });
  });
});

describe('execute_mcp_tool', () => {
  it.each([
    'github:get_issue',
    'github-get_issue',
    'github__get_issue',
    'github/get_issue',
    'github_get_issue',
    'get_issue',
    '`github:get_issue`',
    'github:get_issue()',
    'github: get_issue',
    'mcp__thimble__github:get_issue',
  ])('understands %s', async (path) => {
    const { execute, upstreams } = setUp();
    await execute(path);
    expect(upstreams.seen).toMatchObject([{ upstream: 'github', params: { name: 'get_issue' } }]);
  });

  it('refuses a name two servers have, with both paths', async () => {
    const { execute, textOf, upstreams } = setUp({ a: { tools: ['read'] }, b: { tools: ['read'] } });
    expect(textOf(await execute('read'))).toBe('"read" could be a:read or b:read; say which');
    expect(upstreams.seen).toEqual([]);
  });

  it('answers wrong arguments with every fault, the nearest name and the signature, and sends nothing', async () => {
    const { execute, textOf, upstreams } = setUp();
    const result = await execute('github:create_issue', { owner: 5, titel: 'x', state: 'ajar' });
    expect(result['isError']).toBe(true);
    const text = textOf(result);
    expect(text).toContain('"title" is missing');
    expect(text).toContain('"titel" is not known (did you mean "title"?)');
    expect(text).toContain('owner: has to be string');
    expect(text).toContain('state: has to be one of "open", "closed"');
    expect(text).toContain('github:create_issue(owner: string');
    expect(upstreams.seen).toEqual([]);
  });

  it('names the three nearest for a path nobody has', async () => {
    const { execute, textOf } = setUp();
    expect(textOf(await execute('github:creat_issue'))).toContain('the nearest: github:create_issue');
  });

  it('says how a server stands that cannot be reached', async () => {
    const { execute, textOf, upstreams } = setUp();
    upstreams.answer = () => Promise.reject(new GatewayError('UPSTREAM_UNAVAILABLE', 'github: is offline'));
    expect(textOf(await execute('github:get_issue'))).toContain('github');
  });
});

describe('what servers write', () => {
  const odd = (inputSchema: JsonObject, name = 'odd') => ({
    x: { tools: [{ name, description: 'odd', inputSchema }] },
  });

  it('cannot make a search fail, whatever a reference says', async () => {
    const { discover } = setUp(
      odd({ type: 'object', properties: { a: { $ref: '#/$defs/100%' } }, required: ['a'] }),
    );
    expect(await discover({ query: 'odd' })).toContain(
      'x:odd(a: any)\n  odd [ask detail:"schema"; arguments not checked]',
    );
  });

  it('cannot pass for another tool by a break in a name or a pattern', async () => {
    const properties = {
      'a\nevil:tool(': { type: 'string', pattern: 'b\nevil:other(' },
      c: { type: 'object', properties: { 'd\ne': {} } },
    };
    const { discover } = setUp(odd({ type: 'object', properties, required: Object.keys(properties) }));
    expect(
      (await discover({ query: 'odd' })).split('\n').filter((line) => !line.startsWith(' ')),
    ).toHaveLength(2);
  });

  it('cannot hold everybody up with a pattern or with references', async () => {
    const pattern = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    const levels = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `l${at}`,
        { allOf: [{ $ref: `#/$defs/l${at + 1}` }, { $ref: `#/$defs/l${at + 1}` }] },
      ]),
    );
    const references = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/l0' } },
      $defs: { ...levels, l30: { type: 'string' } },
    };
    const took = await quickestOf(3, async () => {
      await setUp(odd(pattern)).execute('x:odd', { a: `${'a'.repeat(40)}!` });
      await setUp(odd(references)).execute('x:odd', { a: 'b' });
    });
    expect(took).toBeLessThan(1_000);
  });

  it('is held to what it promises: a slip in an optional name is no call', async () => {
    const properties = { path: { type: 'string' }, dryRun: { type: 'boolean' } };
    const { execute, textOf, upstreams } = setUp(odd({ type: 'object', properties, required: ['path'] }));
    expect(textOf(await execute('x:odd', { path: '/', dryrun: true }))).toContain('did you mean "dryRun"?');
    expect(upstreams.seen).toEqual([]);
    await execute('x:odd', { path: '/', somethingElse: 1 });
    expect(upstreams.seen).toHaveLength(1);
  });

  it.each([
    ['declares itself open', { properties: { label: {} }, additionalProperties: true }, { labels: 1 }],
    ['types what else it takes', { properties: { label: {} }, additionalProperties: {} }, { labels: 1 }],
    ['names more by pattern', { properties: { x_ab: {} }, patternProperties: { '^x_': {} } }, { x_ac: 1 }],
    [
      'names more in a branch',
      { properties: { label: {} }, anyOf: [{ properties: { labels: {} } }] },
      { labels: 1 },
    ],
    [
      'names more elsewhere',
      { properties: { label: {} }, $ref: '#/$defs/l', $defs: { l: {} } },
      { labels: 1 },
    ],
    ['has short names', { properties: { to: {}, id: {} } }, { by: 1, ids: 2 }],
    ['has a name that is only a little alike', { properties: { source: {} } }, { course: 1 }],
  ])('is sent what may well be meant where it %s', async (_where, schema, args) => {
    const { execute, upstreams } = setUp(odd({ type: 'object', ...schema } as JsonObject));
    await execute('x:odd', args as JsonObject);
    expect(upstreams.seen).toMatchObject([{ params: { arguments: args } }]);
  });

  it('has room in an answer and not more, however many servers there are', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, at) => [
        `server_number_${at}`,
        { tools: ['read'], instructions: 'Reads.' },
      ]),
    );
    const { discover, execute, textOf, upstreams } = setUp(many);
    for (let at = 0; at < 200; at++) upstreams.setUnknown(`unmet_number_${at}`);
    const answers = [
      await discover({ query: '*' }),
      await discover({ query: 'zzzz qqqq' }),
      textOf(await execute('read')),
    ];
    expect(answers.map((said) => / and \d+ more(; say which)?$/.test(said))).toEqual([true, true, true]);
    for (const said of answers) expect(said.length).toBeLessThan(13_000);
  });

  it.each([
    ['dry_run', 'dryRun'],
    ['max-results', 'maxResults'],
    ['limt', 'limit'],
    ['repositroy', 'repository'],
  ])('is not sent the slip %s for %s', async (slip, name) => {
    const { execute, textOf } = setUp(odd({ type: 'object', properties: { [name]: {} } }));
    expect(textOf(await execute('x:odd', { [slip]: 1 }))).toContain(`did you mean "${name}"?`);
  });
});

describe('a server that never answered', () => {
  it('is named, listed and explained, and its name is on the surface from the start', async () => {
    const { discover, execute, textOf, exposure, view, upstreams } = setUp();
    upstreams.setUnknown('silent');
    upstreams.set('files', offers['files']);
    expect(JSON.stringify(await exposure.tools(view()))).toContain('Servers: files, github, silent.');
    expect(await discover({ query: '*' })).toContain('silent has not answered yet; its tools are not known');
    expect(await discover({ query: 'x', server: 'silent' })).toContain('its tools are not known');
    expect(textOf(await execute('silent:read'))).toContain('silent has not answered yet');
  });

  it('is known by its id where resources are asked for', async () => {
    const { call, textOf, upstreams } = setUp();
    upstreams.setUnknown('silent');
    const said = 'silent has not answered yet; its resources are not known';
    expect(textOf(await call('list_mcp_resources', { server: 'silent' }))).toBe(said);
    expect(textOf(await call('read_mcp_resource', { uri: 'silent|x://1' }))).toBe(said);
    expect(textOf(await call('list_mcp_resources', { server: 'silnt' }))).toContain('did you mean "silent"?');
  });
});

describe('resources', () => {
  it('are listed as server|uri, templates too, in pages', async () => {
    const { call, textOf } = setUp();
    expect(textOf(await call('list_mcp_resources', {}))).toBe(
      [
        'files|file:///a',
        'files|ui://files/list',
        'github|repo://readme',
        'files|file:///{path} [template]',
        '4 of 4',
      ].join('\n'),
    );
    const many = setUp({ many: { resources: Array.from({ length: 60 }, (_, at) => `x://${at}`) } });
    expect(many.textOf(await many.call('list_mcp_resources', {}))).toContain('50 of 60; cursor:"50" goes on');
    expect(many.textOf(await many.call('list_mcp_resources', { cursor: '50' }))).toContain('60 of 60');
  });

  it('are read by server|uri, by a plain URI, and as an app page, whole', async () => {
    const { call, upstreams } = setUp();
    upstreams.answer = async ({ params }) => ({ contents: [{ uri: params['uri'], blob: 'AAEC' }] });
    for (const uri of ['files|file:///made/from/template', 'repo://readme', 'files|ui://files/list']) {
      const bare = uri.slice(uri.indexOf('|') + 1);
      expect(await call('read_mcp_resource', { uri })).toEqual({
        content: [{ type: 'resource', resource: { uri: bare, blob: 'AAEC' } }],
      });
    }
  });

  it('answer a wrong URI with the nearest', async () => {
    const { call, textOf, upstreams } = setUp();
    const read = async (uri: string) => textOf(await call('read_mcp_resource', { uri }));
    expect(await read('githb|repo://readme')).toBe(
      'no resource is called "githb|repo://readme"; the nearest: github|repo://readme',
    );
    expect(await read('nowhere://x')).toBe(
      'no resource is called "nowhere://x"; list_mcp_resources shows them',
    );
    expect(upstreams.seen).toEqual([]);
  });

  it('leave a URI that is not listed to the server it names', async () => {
    const { call, textOf, upstreams } = setUp();
    upstreams.answer = () => Promise.reject(new RpcError(-32002, 'no such file'));
    expect(await call('read_mcp_resource', { uri: 'github|repo://gone' })).toMatchObject({ isError: true });
    expect(textOf(await call('read_mcp_resource', { uri: 'files|file:///b' }))).toBe(
      'files|file:///b: no such file (-32002)',
    );
    expect(upstreams.seen).toMatchObject([
      { upstream: 'github', params: { uri: 'repo://gone' } },
      { upstream: 'files', params: { uri: 'file:///b' } },
    ]);
  });
});

it('shows exactly four tools, and only a new server changes their bytes', async () => {
  const { exposure, view, upstreams } = setUp();
  const before = JSON.stringify(await exposure.tools(view()));
  expect((await exposure.tools(view())).map((tool) => tool['name'])).toEqual([...search.reserved('thimble')]);
  upstreams.set('files', { ...offers['files'], tools: ['more', 'and_more'] });
  expect(JSON.stringify(await exposure.tools(view()))).toBe(before);
  upstreams.set('web', { tools: ['fetch'] });
  expect(JSON.stringify(await exposure.tools(view()))).toBe(
    before.replace('files, github', 'files, github, web'),
  );
});

it('learns of a new tool at once and forgets a removed one', async () => {
  const { discover, upstreams } = setUp();
  expect(await discover({ query: 'translate text' })).not.toContain('lara:');
  upstreams.set('lara', {
    tools: [{ name: 'translate', description: 'Translate text', inputSchema: { type: 'object' } }],
  });
  expect(await discover({ query: 'translate text' })).toMatch(/^lara:translate\(/);
  upstreams.set('lara', undefined);
  expect(await discover({ query: 'translate text' })).not.toContain('lara:');
});

it('tells a client that calls a tool by its own name the way to it', async () => {
  const { call, textOf } = setUp();
  expect(textOf(await call('get_issue', {}))).toContain('execute_mcp_tool and tool_path "github:get_issue"');
  expect(await call('never_heard_of', {})).toMatchObject({ isError: true });
});

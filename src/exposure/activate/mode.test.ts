import { describe, expect, it } from 'vitest';
import { readCoreOffers } from '../../../test/support/core-tools.ts';
import type { FakeOffer } from '../../../test/support/fake-upstreams.ts';
import type { JsonObject } from '../../model/json.ts';
import { createPlainState, openMode, runExposureContract, toOptions } from '../exposure.contract.ts';
import { activate } from './mode.ts';

runExposureContract({
  mode: activate,
  prepare: (server) => ({ name: 'thimble_activate_server', arguments: { server } }),
  toCall: (_server, tool, args) => ({ name: tool, arguments: args }),
});

const offers: Record<string, FakeOffer> = {
  files: { tools: ['read', 'write'] },
  mail: { tools: [{ name: 'send', description: 'Sends it. Really.', inputSchema: toSchema('to') }] },
  notes: { tools: ['jot'], title: 'My notes' },
};

function toSchema(...required: string[]): JsonObject {
  const properties = Object.fromEntries(required.map((name) => [name, { type: 'string' }]));
  return { type: 'object', properties, required };
}

const OWN = ['thimble_activate_server', 'thimble_deactivate_server', 'thimble_server_status'];

function setUp(
  more: Record<string, FakeOffer> = offers,
  changes: Parameters<typeof openMode>[2] & { default?: string } = {},
) {
  const { default: server, ...ports } = changes;
  const options = server === undefined ? {} : { options: toOptions({ activate: { default: server } }) };
  const opened = openMode(activate, more, { ...options, ...ports });
  const call = (name: string, args: JsonObject = {}) =>
    opened.exposure.call(name, { name, arguments: args }, opened.view());
  const say = async (name: string, args: JsonObject = {}) => {
    const result = await call(name, args);
    return (result['content'] as { text: string }[])[0]?.text ?? '';
  };
  const names = async () => (await opened.exposure.tools(opened.view())).map(({ name }) => String(name));
  const switchOn = (id: string) => say('thimble_activate_server', { server: id });
  const switchOff = (id: string) => say('thimble_deactivate_server', { server: id });
  return { ...opened, call, say, names, switchOn, switchOff };
}

describe('the surface', () => {
  it('begins with the default server, then the three switches', async () => {
    expect(await setUp().names()).toEqual(['read', 'write', ...OWN]);
  });

  it('grows at its end in the order of activation, so that what was seen keeps its place', async () => {
    const { names, switchOn, switchOff } = setUp();
    await switchOn('notes');
    await switchOn('mail');
    expect(await names()).toEqual(['read', 'write', ...OWN, 'jot', 'send']);
    await switchOff('notes');
    await switchOn('notes');
    expect(await names()).toEqual(['read', 'write', ...OWN, 'send', 'jot']);
  });

  it('names the servers, whatever is active, so that no call changes the bytes of the switches', async () => {
    const { exposure, view, switchOn } = setUp();
    const own = async () => (await exposure.tools(view())).filter(({ name }) => OWN.includes(String(name)));
    const before = await own();
    await switchOn('mail');
    expect(await own()).toEqual(before);
    expect(before[0]?.['description']).toBe("Show a server's tools: files, mail, notes");
  });

  it('says that a call may change it', () => {
    expect(activate.changesByCall).toBe(true);
  });

  it('has only the switches when there is no server', async () => {
    expect(await setUp({}).names()).toEqual(OWN);
  });
});

describe('the default server', () => {
  it('is memory where there is one: fifteen tools with ours', async () => {
    const { names, say } = setUp(readCoreOffers());
    expect(await names()).toHaveLength(15);
    expect(await names()).toContain('store_memory');
    expect(await say('thimble_server_status')).toContain('memory: active (default), 12 tools');
  });

  it.each(['notes', 'My notes'])('is the configured one, by id or name: %s', async (server) => {
    expect(await setUp(offers, { default: server }).names()).toEqual(['jot', ...OWN]);
  });

  it('is the first where the configured one cannot be seen', async () => {
    expect(await setUp(offers, { default: 'gone' }).names()).toEqual(['read', 'write', ...OWN]);
  });

  it('stays: it cannot be deactivated', async () => {
    const { call, names } = setUp();
    expect(await call('thimble_deactivate_server', { server: 'files' })).toMatchObject({
      isError: true,
      content: [{ text: 'files is the default server and stays active' }],
    });
    expect(await names()).toContain('read');
  });

  it('is shown once, though it was activated before it became the default', async () => {
    const state = createPlainState();
    await setUp(offers, { state }).switchOn('notes');
    expect(await setUp(offers, { state, default: 'notes' }).names()).toEqual(['jot', ...OWN]);
  });
});

describe('activation', () => {
  it('answers with the signatures of what appeared, which can be called at once', async () => {
    const { switchOn, call, upstreams } = setUp();
    expect(await switchOn('mail')).toBe(
      'mail is active; these tools can be called now by their names:\nsend(to: string) Sends it.',
    );
    await call('send', { to: 'x' });
    expect(upstreams.seen).toMatchObject([
      { upstream: 'mail', params: { name: 'send', arguments: { to: 'x' } } },
    ]);
  });

  it('says the signatures again for a server that is active already', async () => {
    const { switchOn, names } = setUp();
    await switchOn('mail');
    expect(await switchOn('mail')).toMatch(/^mail is active already; its tools:\nsend\(/);
    expect((await names()).filter((name) => name === 'send')).toHaveLength(1);
  });

  it('names the tools that signatures had no room for', async () => {
    const many = Array.from({ length: 200 }, (_, at) => ({
      name: `tool_${at}`,
      inputSchema: toSchema('some_long_parameter', 'another_long_parameter'),
    }));
    const said = await setUp({ ...offers, many: { tools: many } }).switchOn('many');
    for (const { name } of many) expect(said).toContain(name);
    expect(said.length).toBeLessThan(10_000);
  });

  it('takes a server by its name or with the prefix as well', async () => {
    const { switchOn } = setUp();
    expect(await switchOn('My notes')).toMatch(/^notes is active;/);
    expect(await switchOn('thimble_mail')).toMatch(/^mail is active;/);
  });

  it('of a server that never answered holds for when it does', async () => {
    const { switchOn, names, upstreams } = setUp();
    const answer = upstreams.setUnknown('slow');
    expect(await switchOn('slow')).toBe('slow is active; it has no tools that are known yet');
    answer({ tools: ['crawl'] });
    expect(await names()).toEqual(['read', 'write', ...OWN, 'crawl']);
  });

  it('ends with deactivation, and says what is left', async () => {
    const { switchOn, switchOff, names } = setUp();
    expect(await switchOff('mail')).toBe('mail is not active');
    await switchOn('mail');
    expect(await switchOff('mail')).toBe('mail is not active any more; active now: files');
    expect(await names()).toEqual(['read', 'write', ...OWN]);
  });

  it('loses nothing when two are switched on at the same time', async () => {
    const { switchOn, names } = setUp();
    await Promise.all([switchOn('notes'), switchOn('mail')]);
    expect(await names()).toEqual(['read', 'write', ...OWN, 'jot', 'send']);
  });

  it('is as the last of several calls at the same time wants it', async () => {
    const { switchOn, switchOff, names } = setUp();
    await Promise.all([switchOn('notes'), switchOff('My notes')]);
    expect(await names()).toEqual(['read', 'write', ...OWN]);
    await switchOn('notes');
    const said = await Promise.all([switchOff('notes'), switchOn('mail'), switchOn('notes')]);
    expect(said[2]).toMatch(/^notes is active;/);
    expect(await names()).toEqual(['read', 'write', ...OWN, 'send', 'jot']);
  });

  it('passes over a server that is gone, and knows it again when it comes back', async () => {
    const { switchOn, names, upstreams } = setUp();
    await switchOn('mail');
    upstreams.set('mail', undefined);
    expect(await names()).toEqual(['read', 'write', ...OWN]);
    upstreams.set('mail', offers['mail']);
    expect(await names()).toEqual(['read', 'write', ...OWN, 'send']);
  });

  it.each(['thimble_activate_server', 'thimble_deactivate_server'])(
    '%s answers a wrong server with the nearest or with all',
    async (name) => {
      const { say, call } = setUp();
      expect(await call(name, { server: 'mial' })).toMatchObject({ isError: true });
      expect(await say(name, { server: 'mial' })).toBe('no server is called "mial"; the nearest: mail');
      expect(await say(name, { server: 'zzzzzzzz' })).toBe(
        'no server is called "zzzzzzzz"; there are files, mail, notes',
      );
      expect(await say(name, {})).toBe('server has to be one of files, mail, notes');
    },
  );
});

describe('a call', () => {
  it('to a tool that is not active names the server to activate', async () => {
    const { call, say, upstreams } = setUp();
    expect(await call('send', { to: 'x' })).toMatchObject({ isError: true });
    expect(await say('send')).toBe(
      'send belongs to mail, which is not active; call thimble_activate_server with server "mail" first',
    );
    expect(upstreams.seen).toEqual([]);
  });

  it('leaves arguments to the server, whose schema the model has seen', async () => {
    const { switchOn, call, upstreams } = setUp();
    await switchOn('mail');
    await call('send', { wrong: 1 });
    expect(upstreams.seen).toMatchObject([{ params: { arguments: { wrong: 1 } } }]);
  });

  it('to a name that was never there is refused with the nearest', async () => {
    await expect(setUp().call('raed')).rejects.toThrow('no tool is called "raed"; the nearest: read');
  });

  it.each(['crow', 'jarvis'])('understands names with and without the prefix %s', async (namespace) => {
    const { call, say, upstreams } = setUp(readCoreOffers(), { namespace });
    for (const prefix of [`${namespace}_`, '']) {
      await call(`${prefix}store_memory`, { content: 'x' });
      expect(upstreams.seen.at(-1)).toMatchObject({ upstream: 'memory', params: { name: 'store_memory' } });
      expect(await say(`${prefix}activate_server`, { server: 'projects' })).toContain('create_project(');
      await call(`${prefix}create_project`, { name: 'x' });
      expect(upstreams.seen.at(-1)).toMatchObject({ upstream: 'projects' });
      expect(await say(`${prefix}server_status`)).toContain('projects: active, 12 tools');
      expect(await say(`${prefix}deactivate_server`, { server: 'projects' })).toContain(
        'not active any more',
      );
    }
  });

  it("leaves a server's own tool its name, though ours is the same without the prefix", async () => {
    const { call, upstreams } = setUp({ files: { tools: ['activate_server'] } });
    await call('activate_server', { server: 'files' });
    expect(upstreams.seen).toMatchObject([{ upstream: 'files', params: { name: 'activate_server' } }]);
  });
});

describe('the status', () => {
  it('tells active and inactive, the default, tools and tokens', async () => {
    const { switchOn, say } = setUp(offers, { tokens: { count: async () => 10 } });
    await switchOn('notes');
    expect((await say('thimble_server_status')).split('\n')).toEqual([
      'files: active (default), 2 tools, 20 tokens',
      'mail: inactive, 1 tool, 10 tokens',
      'notes: active, 1 tool, 10 tokens',
      'active: 3 tools, 30 tokens; all: 4 tools, 40 tokens',
    ]);
  });
});

it('tells how to use a tool, active or not', async () => {
  const { exposure, view, switchOn } = setUp();
  const mention = async (server: string, name: string) => {
    const entry = view().locate('tool', server, name);
    return entry && exposure.mention(entry, view());
  };
  expect(await mention('files', 'read')).toBe('read');
  expect(await mention('mail', 'send')).toBe('send (after thimble_activate_server "mail")');
  await switchOn('mail');
  expect(await mention('mail', 'send')).toBe('send');
});

it('answers for what is hidden as if it never was, whatever is asked', async () => {
  const files = { tools: ['read'], tags: ['work'] };
  const hidden = setUp({ files, mail: offers['mail'] ?? {} }, { profile: 'work', default: 'mail' });
  const absent = setUp({ files }, { profile: 'work', default: 'mail' });
  const outcome = (opened: ReturnType<typeof setUp>, name: string, args: JsonObject) =>
    opened.call(name, args).catch((error: unknown) => String(error));
  for (const name of [...OWN, 'send', 'thimble_send']) {
    const args = { server: 'mail' };
    expect(await outcome(hidden, name, args)).toEqual(await outcome(absent, name, args));
  }
  expect(await hidden.names()).toEqual(await absent.names());
  expect(hidden.upstreams.seen).toEqual([]);
});

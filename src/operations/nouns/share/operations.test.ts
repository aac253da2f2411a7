import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixture } from '../../../../test/support/program.ts';
import { type RawRequest, send, toModern } from '../../../../test/support/raw-http.ts';
import { createGateway } from '../../../gateway.ts';
import type { JsonObject } from '../../../model/json.ts';
import { openStore } from '../../../store/open.ts';
import type { House } from '../../house.ts';
import { runOperationContract } from '../../operation.contract.ts';
import { openTestHouse, type TestHouse } from '../../test-house.contract.ts';
import { findOperation } from '../registry.ts';
import { SHARE } from './operations.ts';

runOperationContract('share', SHARE);

const CONFIG = {
  builtin: { memory: { tags: ['work'] }, blog: { enabled: false, tags: ['mixed'] } },
  exposure: { mode: 'direct' },
  mcpServers: {
    mirror: { command: process.execPath, args: [fixture('mirror.mjs')], tags: ['work'] },
    private: { command: process.execPath, args: [fixture('mirror.mjs')], tags: ['mixed'] },
    resting: { command: 'x', enabled: false, tags: ['old', 'mixed'] },
    both: { command: 'x', tags: ['both'] },
  },
};

async function openHouse(given: Partial<House> = {}): Promise<TestHouse> {
  const house = await openTestHouse({ now: () => new Date(), ...given });
  await mkdir(house.home, { recursive: true });
  await writeFile(join(house.home, 'thimble.jsonc'), JSON.stringify(CONFIG));
  return house;
}

const servingAt = (url: string): House['running'] => ({
  processes: async () => [{ pid: 1, command: 'serve', startedAt: '', url }],
  servers: async () => [],
  restart: async () => [],
});

async function run(verb: string, input: JsonObject, house: House) {
  return (await findOperation('share', verb)).prepare(input).run(house);
}

async function planOf(verb: string, input: JsonObject, house: House) {
  return (await findOperation('share', verb)).prepare(input).plan(house);
}

const withToken = (request: RawRequest, token: unknown): RawRequest => ({
  ...request,
  headers: { ...request.headers, authorization: `Bearer ${String(token)}` },
});

describe('sharing', () => {
  it('says before it starts what becomes reachable, where and until when, and changes nothing', async () => {
    await using house = await openHouse({ running: servingAt('http://127.0.0.1:7420') });
    const plan = await planOf('start', { name: 'work', hours: 2 }, house);
    expect(plan?.summary).toBe('share the profile work');
    const text = plan?.details.join('\n');
    expect(text).toContain('http://127.0.0.1:7420/i/work/mcp');
    expect(text).toContain('memory');
    expect(text).toContain('mirror');
    expect(text).not.toContain('private');
    expect((await run('list', {}, house)).output).toEqual({ shares: [], serving: true });
  });

  it('names the servers of a profile that are off, since they are reachable once they are on', async () => {
    await using house = await openHouse();
    const plan = await planOf('start', { name: 'mixed' }, house);
    expect(plan?.details).toContain('every tool of private');
    expect(plan?.details).toContain('every tool of resting (once it is switched on)');
    expect(plan?.details).toContain('every tool of blog (once it is switched on)');
  });

  it('plans the same a minute later, so that a person may take their time', async () => {
    await using house = await openHouse();
    const plan = await planOf('start', { name: 'work', hours: 2 }, house);
    const later = { ...house, now: () => new Date(Date.now() + 60_000) };
    expect(await planOf('start', { name: 'work', hours: 2 }, later)).toEqual(plan);
    expect(plan?.details).toContain('for 2 hours, or until thimble share stop work');
    const hour = await planOf('start', { name: 'work', hours: 1 }, house);
    expect(hour?.details).toContain('for 1 hour, or until thimble share stop work');
  });

  it('shows the token once, and lists the share with its address and end', async () => {
    await using house = await openHouse({ running: servingAt('http://127.0.0.1:7420') });
    const { output, text } = await run('start', { name: 'mirror', hours: 0.5 }, house);
    expect(text).toContain(String(output['token']));
    expect(output['url']).toBe('http://127.0.0.1:7420/i/mirror/mcp');
    expect(text).toContain('Only this machine reaches it');
    const listed = await run('list', {}, house);
    expect(JSON.stringify(listed)).not.toContain(String(output['token']));
    expect(listed.output['shares']).toMatchObject([{ name: 'mirror', kind: 'server', target: 'mirror' }]);
    expect(listed.text).toContain('not used yet');
  });

  it('says what to start where nothing serves', async () => {
    await using house = await openHouse();
    expect((await run('start', { name: 'mirror' }, house)).text).toContain('thimble serve');
    expect((await run('list', {}, house)).text).toContain('thimble serve');
  });

  it.each([
    [{ name: 'mirorr' }, 'NAME_UNKNOWN', /did you mean "mirror"/],
    [{ name: 'manage' }, 'NAME_UNKNOWN', /manage/],
    [{ name: 'resting' }, 'UPSTREAM_DISABLED', /thimble server enable resting/],
    [{ name: 'old' }, 'UPSTREAM_DISABLED', /switched off.*thimble server enable resting/],
    [{ name: 'both' }, 'INVALID_PARAMS', /--kind/],
    [{ name: 'work', kind: 'server' }, 'NAME_UNKNOWN', /work/],
    [{ name: 'mirror', as: '../x' }, 'INVALID_PARAMS', /--as/],
  ])('refuses %j before anybody is asked', async (input, code, message) => {
    await using house = await openHouse();
    for (const attempt of [planOf, run])
      await expect(attempt('start', input, house)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message),
      });
  });

  it('refuses a name that is shared already, and knows the nearest of one that is not', async () => {
    await using house = await openHouse();
    await run('start', { name: 'mirror' }, house);
    await expect(planOf('start', { name: 'mirror' }, house)).rejects.toMatchObject({ code: 'NAME_TAKEN' });
    await run('start', { name: 'mirror', as: 'second' }, house);
    await expect(run('stop', { name: 'secnd' }, house)).rejects.toThrow(/did you mean "second"/);
    await run('stop', { name: 'second' }, house);
    expect((await run('list', {}, house)).output['shares']).toHaveLength(1);
  });

  it('keeps no token in the files of the home', async () => {
    await using house = await openHouse();
    const { output } = await run('start', { name: 'mirror' }, house);
    await using store = await openStore(join(house.home, 'thimble.db'));
    const { db } = await store.tables<{ shares: object }>('shares', []);
    const rows = await db.selectFrom('shares').selectAll().execute();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(String(output['token']));
  });
});

describe('a share at a running gateway', () => {
  it('gives its holder the one server, nothing else, and ends for real', async () => {
    await using house = await openHouse();
    await using gateway = await createGateway((await house.config.read()).config, { home: house.home });
    const server = await gateway.listen({ port: 0 });
    try {
      const at = `${server.url}/i/mirror/mcp`;
      expect((await send(at, toModern('tools/list'))).status).toBe(401);
      const { output } = await run('start', { name: 'mirror' }, house);
      await expect
        .poll(async () => (await send(at, withToken(toModern('tools/list'), output['token']))).status)
        .toBe(200);
      const list = (await send(at, withToken(toModern('tools/list'), output['token']))).json;
      const { tools } = list['result'] as { tools: { name: string }[] };
      expect(tools.map(({ name }) => name)).toEqual(['echo', 'execute']);
      const call = (name: string) =>
        send(at, withToken(toModern('tools/call', { name, arguments: { a: 1 } }), output['token']));
      expect((await call('echo')).text).toContain('\\"a\\":1');
      expect((await call('store_memory')).text).toContain('TOOL_NOT_FOUND');
      const hello = await send(at, withToken(toModern('server/discover'), output['token']));
      expect((hello.json['result'] as JsonObject)['instructions']).toBeUndefined();
      await expect.poll(async () => (await run('list', {}, house)).text).toContain('last used');
      await run('stop', { name: 'mirror' }, house);
      await expect.poll(async () => (await call('echo')).status).toBe(401);
    } finally {
      await server.close();
    }
  });

  it('narrows the holder of a profile to its servers, on lists and on calls', async () => {
    await using house = await openHouse();
    await using gateway = await createGateway((await house.config.read()).config, { home: house.home });
    const server = await gateway.listen({ port: 0 });
    try {
      const { output } = await run('start', { name: 'work', as: 'team' }, house);
      const at = `${server.url}/i/team/mcp`;
      const ask = (request: RawRequest) => send(at, withToken(request, output['token']));
      await gateway.catalog.settled();
      await expect.poll(async () => (await ask(toModern('tools/list'))).text).toContain('mirror__echo');
      const { text } = await ask(toModern('tools/list'));
      expect(text).toContain('store_memory');
      expect(text).not.toContain('private__echo');
      const call = await ask(toModern('tools/call', { name: 'private__echo', arguments: {} }));
      expect(call.text).toContain('TOOL_NOT_FOUND');
      // What the owner keeps about themselves is in the greeting of the owner alone.
      const hello = await ask(toModern('server/discover'));
      expect((hello.json['result'] as JsonObject)['instructions']).toBeUndefined();
    } finally {
      await server.close();
    }
  });
});

/** Several `thimble stdio` of one home run one set of servers, and none of them depends on the first. */
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  commandOf,
  createPlace,
  descendantsOf,
  eventually,
  fixture,
  readSlowness,
} from '../support/program.ts';
import { openStdio, type StdioClient } from '../support/stdio-client.ts';

const SERVERS = Array.from({ length: 20 }, (_, at) => `s${at}`);

const echo = (name: string) => ({
  command: process.execPath,
  args: [fixture('echo-server.mjs'), '--name', name],
});

async function childrenOf(clients: readonly StdioClient[]): Promise<number> {
  const found = new Set<number>();
  for (const { child } of clients)
    for (const pid of await descendantsOf(child.pid ?? 0))
      if ((await commandOf(pid)).includes('echo-server.mjs')) found.add(pid);
  return found.size;
}

const call = (client: StdioClient, server: string) =>
  client.request('tools/call', { name: `${server}__add`, arguments: { a: 2, b: 3 } });

describe('five clients of one home', () => {
  it('share twenty servers, and when the process that has them is killed another takes over', {
    retry: 2,
  }, async () => {
    await using place = await createPlace({
      mcpServers: Object.fromEntries(SERVERS.map((name) => [name, echo(name)])),
    });
    const clients: StdioClient[] = [];
    for (let count = 0; count < 5; count++) {
      const client = openStdio(place);
      clients.push(client);
      await client.initialize();
    }
    await clients[0]?.listed(...SERVERS.map((name) => `${name}__add`));
    const lists = await Promise.all(clients.map((client) => client.request('tools/list')));
    expect(new Set(lists.map((list) => JSON.stringify(list))).size).toBe(1);
    for (const server of SERVERS)
      await Promise.all(clients.map(async (client) => expect(await call(client, server)).toBeDefined()));
    expect(await childrenOf(clients)).toBe(20);

    const [host, ...others] = clients;
    if (!host) throw new Error('no host');
    const gone = once(host.child, 'exit');
    host.child.kill('SIGKILL');
    await gone;
    const started = performance.now();
    const answers = await Promise.all(others.map((client) => call(client, 's7')));
    const tookMs = performance.now() - started;
    expect(answers.map((answer) => JSON.stringify(answer)).every((text) => text.includes('5'))).toBe(true);
    // Three seconds on a quiet machine.
    expect(tookMs).toBeLessThan(3_000 * (await readSlowness()));
    for (const server of SERVERS) await Promise.all(others.map((client) => call(client, server)));
    expect(await childrenOf(others)).toBe(20);
    // The children of the one that was killed are gone as well: their stdin ended.
    for (const client of others) await client[Symbol.asyncDispose]();
  });

  it('answers what was under way when the host ended, and says again what is safe to', async () => {
    await using place = await createPlace({ mcpServers: { one: echo('one') } });
    await using host = openStdio(place);
    await host.initialize();
    await using guest = openStdio(place);
    await guest.initialize();
    await guest.listed('slow');
    const _meta = { progressToken: 1 };
    const slow = guest.request('tools/call', { name: 'slow', arguments: { wait: true }, _meta });
    const settled = slow.then(
      (result) => JSON.stringify(result),
      (error: Error) => error.message,
    );
    await eventually('the call is under way', () => guest.notifications.includes('notifications/progress'));
    host.child.kill('SIGKILL');
    expect(await settled).toContain('ended before it was answered');
    expect(JSON.stringify(await guest.request('tools/list'))).toContain('add');
    expect(
      JSON.stringify(await guest.request('tools/call', { name: 'add', arguments: { a: 1, b: 1 } })),
    ).toContain('2');
  });

  it('still have what they activated when another process takes over', async () => {
    const servers = ['one', 'two', 'three', 'Very Last'];
    await using place = await createPlace({
      mcpServers: Object.fromEntries(servers.map((name) => [name, echo(name)])),
    });
    {
      // So that all are known from the start, however long that takes here.
      await using before = openStdio(place);
      await before.initialize();
      await before.listed(...['one', 'two', 'three', 'very-last'].map((id) => `${id}__add`));
    }
    await using host = openStdio(place, 'stdio', '--mode', 'activate');
    await host.initialize();
    await using guest = openStdio(place, 'stdio', '--mode', 'activate');
    await guest.initialize();
    for (const [name, server] of [
      ['activate_server', 'two'],
      ['thimble_activate_server', 'three'],
      ['thimble_activate_server', 'very-last'],
      ['thimble_activate_server', 'one'],
      ['deactivate_server', 'three'],
      ['thimble_deactivate_server', 'Very Last'],
    ])
      await guest.request('tools/call', { name, arguments: { server } });
    const before = JSON.stringify(await guest.request('tools/list'));
    expect(before).toContain('two__add');
    expect(before).not.toContain('last__add');
    const gone = once(host.child, 'exit');
    host.child.kill('SIGKILL');
    await gone;
    expect(JSON.stringify(await call(guest, 'two'))).toContain('5');
    expect(JSON.stringify(await guest.request('tools/list'))).toBe(before);
  });

  it('keeps apart those who said --alone, another home, or another environment that matters', async () => {
    await using place = await createPlace({ mcpServers: { one: echo('one') } });
    await using first = openStdio(place);
    await first.initialize();
    await using alone = openStdio(place, 'stdio', '--alone');
    await alone.initialize();
    for (const client of [first, alone]) {
      await client.listed('add');
      await client.request('tools/call', { name: 'add', arguments: { a: 1, b: 1 } });
    }
    expect(await childrenOf([alone])).toBe(1);
  });

  it('refuses a guest that asks for what is not there, with the reason', async () => {
    await using place = await createPlace({ mcpServers: { one: echo('one') } });
    await using first = openStdio(place);
    await first.initialize();
    const wrong = openStdio(place, 'run', 'two');
    // Not when it exits: what it said last may still be in the pipe then.
    const [code] = (await once(wrong.child, 'close')) as [number];
    expect(code).not.toBe(0);
    expect(wrong.stderr()).toContain('no upstream has the id "two"');
  });
});

/** Several `thimble stdio` of one home run one set of servers, and none of them depends on the first. */
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { commandOf, createPlace, descendantsOf, eventually, fixture } from '../support/program.ts';
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
  it('share twenty servers, and when the process that has them is killed another takes over', async () => {
    await using place = await createPlace({
      mcpServers: Object.fromEntries(SERVERS.map((name) => [name, echo(name)])),
    });
    const clients: StdioClient[] = [];
    for (let count = 0; count < 5; count++) {
      const client = openStdio(place);
      clients.push(client);
      await client.initialize();
    }
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
    expect(tookMs).toBeLessThan(3_000);
    for (const server of SERVERS) await Promise.all(others.map((client) => call(client, server)));
    expect(await childrenOf(others)).toBe(20);
    // The children of the one that was killed are gone as well: their stdin ended.
    for (const client of others) await client[Symbol.asyncDispose]();
  }, 120_000);

  it('answers what was under way when the host ended, and says again what is safe to', async () => {
    await using place = await createPlace({ mcpServers: { one: echo('one') } });
    await using host = openStdio(place);
    await host.initialize();
    await using guest = openStdio(place);
    await guest.initialize();
    await guest.request('tools/list');
    const slow = guest.request('tools/call', { name: 'slow', arguments: { wait: true } });
    const settled = slow.then(
      (result) => JSON.stringify(result),
      (error: Error) => error.message,
    );
    await eventually('the call is under way', async () => (await childrenOf([host])) === 1);
    host.child.kill('SIGKILL');
    expect(await settled).toContain('ended before it was answered');
    expect(JSON.stringify(await guest.request('tools/list'))).toContain('add');
    expect(
      JSON.stringify(await guest.request('tools/call', { name: 'add', arguments: { a: 1, b: 1 } })),
    ).toContain('2');
  }, 60_000);

  it('keeps apart those who said --alone, another home, or another environment that matters', async () => {
    await using place = await createPlace({ mcpServers: { one: echo('one') } });
    await using first = openStdio(place);
    await first.initialize();
    await using alone = openStdio(place, 'stdio', '--alone');
    await alone.initialize();
    for (const client of [first, alone])
      await client.request('tools/call', { name: 'add', arguments: { a: 1, b: 1 } });
    expect(await childrenOf([alone])).toBe(1);
  }, 60_000);

  it('refuses a guest that asks for what is not there, with the reason', async () => {
    await using place = await createPlace({ mcpServers: { one: echo('one') } });
    await using first = openStdio(place);
    await first.initialize();
    const wrong = openStdio(place, 'run', 'two');
    const [code] = (await once(wrong.child, 'exit')) as [number];
    expect(code).not.toBe(0);
    expect(wrong.stderr()).toContain('no upstream has the id "two"');
  }, 60_000);
});

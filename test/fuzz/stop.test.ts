/** The program asked to stop while it works: no half answers, nothing left behind, and never for long. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import {
  createPlace,
  descendantsOf,
  eventually,
  fixture,
  isAlive,
  type Place,
  serve,
  untilMet,
} from '../support/program.ts';
import { send, toModern } from '../support/raw-http.ts';
import { openStdio } from '../support/stdio-client.ts';

const giant = { command: process.execPath, args: [fixture('giant.mjs')] };
const echo = { command: process.execPath, args: [fixture('echo-server.mjs')] };
const stubborn = { command: process.execPath, args: [fixture('leaves-children.mjs'), '--stubborn'] };
const wait = (ms: number, id: number) => toModern('tools/call', { name: 'sleep', arguments: { ms } }, id);
/** Fifteen seconds by itself, twice that on a busy machine; whoever waited for the calls would take a minute. */
const WITHIN_MS = 30_000;
const textOf = (text: string) => {
  const body = text.startsWith('{') ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? '');
  return JSON.parse(body) as JsonObject;
};

/** A server that waits when it is told to, and notes each call that reached it. */
const waiting = ({ dir }: Place) => ({
  command: process.execPath,
  args: [fixture('faulty.mjs'), '--log', join(dir, 'log')],
});

async function untilArrived({ dir }: Place, calls: number): Promise<void> {
  await eventually(`${calls} calls have reached the server`, async () => {
    const text = await readFile(join(dir, 'log'), 'utf8').catch(() => '');
    return text.split('\n').filter((line) => line === 'sleep').length >= calls;
  });
}

describe('a program asked to stop', () => {
  it('finishes a hundred calls in flight, takes no new ones, and ends with 0 and without orphans', async () => {
    await using place = await createPlace({});
    await place.write({ mcpServers: { waiting: waiting(place) } });
    const served = await serve(place);
    const url = served.url;
    await untilMet(served, 'waiting');
    // Long enough that it is seen to stop, and shorter than it would wait for them.
    const calls = Array.from({ length: 100 }, (_, id) => send(`${url}/mcp/direct`, wait(5_000, id)));
    await untilArrived(place, 100);
    const children = await descendantsOf(served.child.pid ?? 0);
    const exited = once(served.child, 'exit');
    served.child.kill('SIGTERM');
    await eventually('new calls are refused', async () => {
      const late = await send(`${url}/mcp/direct`, wait(0, 1_000)).catch(() => undefined);
      return late?.status === 503 && late.headers['retry-after'] !== undefined;
    });
    for (const answer of await Promise.all(calls))
      expect(textOf(answer.text)).toMatchObject({ result: { content: [{ text: 'slept' }] } });
    expect(await exited).toEqual([0, null]);
    for (const pid of children) expect(await isAlive(pid)).toBe(false);
  });

  it('answers calls that take too long itself, and ends within 15 s even with stubborn servers', async () => {
    await using place = await createPlace({});
    await place.write({ mcpServers: { waiting: waiting(place), stubborn } });
    const served = await serve(place);
    await untilMet(served, 'waiting', 'stubborn');
    const calls = Array.from({ length: 20 }, (_, id) => send(`${served.url}/mcp/direct`, wait(60_000, id)));
    await untilArrived(place, 20);
    const children = await descendantsOf(served.child.pid ?? 0);
    const started = performance.now();
    const exited = once(served.child, 'exit');
    served.child.kill('SIGTERM');
    for (const [id, answer] of (await Promise.all(calls)).entries())
      expect(textOf(answer.text)).toMatchObject({
        id,
        error: { data: { code: 'TOO_BUSY', stopping: true } },
      });
    expect(await exited).toEqual([0, null]);
    expect(performance.now() - started).toBeLessThan(WITHIN_MS);
    for (const pid of children) expect(await isAlive(pid)).toBe(false);
  });

  it('ends within 15 s too when a client of its own and one of another process have calls in flight', async () => {
    await using place = await createPlace({ mcpServers: { giant, stubborn } });
    await using host = openStdio(place, 'stdio', '--mode', 'direct');
    await host.initialize();
    await host.listed('wait');
    await using guest = openStdio(place, 'stdio', '--mode', 'direct');
    await guest.initialize();
    const long = { name: 'wait', arguments: { ms: 60_000 } };
    for (const client of [host, guest]) {
      void client.request('tools/call', long).catch(() => {});
      // Answered only when the one before has reached the server.
      await client.request('tools/call', { name: 'wait', arguments: { ms: 0 } });
    }
    const started = performance.now();
    const exited = once(host.child, 'exit');
    host.child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    expect(performance.now() - started).toBeLessThan(WITHIN_MS);
  });

  it('ends at once at the second signal, and takes its servers along', async () => {
    await using place = await createPlace({});
    await place.write({ mcpServers: { waiting: waiting(place), stubborn } });
    const served = await serve(place);
    await untilMet(served, 'waiting', 'stubborn');
    const call = send(`${served.url}/mcp/direct`, wait(60_000, 1)).catch(() => undefined);
    await untilArrived(place, 1);
    const children = await descendantsOf(served.child.pid ?? 0);
    expect(children.length).toBeGreaterThan(1);
    const exited = once(served.child, 'exit');
    served.child.kill('SIGTERM');
    await eventually('it stops', async () => {
      const late = await send(`${served.url}/health`).catch(() => undefined);
      return late?.status === 503;
    });
    served.child.kill('SIGTERM');
    await exited;
    await call;
    for (const pid of children) await eventually(`${pid} ends`, async () => !(await isAlive(pid)));
  });

  it('lets a client on stdio have its answers whole', async () => {
    await using place = await createPlace({ mcpServers: { giant, echo } });
    const client = openStdio(place);
    await client.initialize();
    await client.listed('wait', 'big', 'add');
    const slow = client.request('tools/call', { name: 'wait', arguments: { ms: 800 } });
    const big = client.request('tools/call', { name: 'big', arguments: { bytes: 4_000_000 } });
    await client.request('tools/call', { name: 'add', arguments: { a: 1, b: 2 } });
    const exited = once(client.child, 'close');
    client.child.kill('SIGTERM');
    expect(await slow).toMatchObject({ content: [{ text: 'waited 800' }] });
    expect(JSON.stringify(await big).length).toBeGreaterThanOrEqual(4_000_000);
    expect(await exited).toEqual([0, null]);
    for (const line of client.stdout().trimEnd().split('\n')) JSON.parse(line);
  });
});

describe('a configuration changed under load', () => {
  it('costs no call to a server it did not change', async () => {
    const other = (name: string) => ({
      command: process.execPath,
      args: [fixture('echo-server.mjs'), '--name', name],
    });
    await using place = await createPlace({ mcpServers: { giant, one: other('one') } });
    await using served = await serve(place);
    await untilMet(served, 'giant');
    const post = (id: number) =>
      send(`${served.url}/s/giant/mcp`, toModern('tools/call', { name: 'wait', arguments: { ms: 5 } }, id));
    let reloads = 0;
    const changing = (async () => {
      for (const name of ['two', 'three', 'four', 'five']) {
        await place.write({ mcpServers: { giant, [name]: other(name) } });
        await eventually(`${name} is served`, async () =>
          (await send(`${served.url}/health`)).text.includes(`"${name}"`),
        );
        reloads += 1;
      }
    })();
    let calls = 0;
    while (reloads < 4 || calls <= 50) {
      const answers = await Promise.all(Array.from({ length: 20 }, (_, id) => post(id)));
      for (const answer of answers) expect(textOf(answer.text)).toHaveProperty('result');
      calls += answers.length;
    }
    await changing;
  });
});

/** What a server starts in a session of its own does not outlive Thimble, not even one that was killed. */
import { once } from 'node:events';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { createPlace, eventually, fixture, isAlive } from '../support/program.ts';
import { openStdio } from '../support/stdio-client.ts';

const server = { command: process.execPath, args: [fixture('leaves-children.mjs'), '--daemon'] };

async function start(place: Awaited<ReturnType<typeof createPlace>>) {
  const client = openStdio(place);
  await client.initialize();
  const result = await client.request('tools/call', { name: 'grandchild', arguments: {} });
  const [content] = result['content'] as JsonObject[];
  return { client, stray: Number(content?.['text']) };
}

// Elsewhere no system tells which variables a process was started with.
it.runIf(process.platform === 'linux')(
  'ends with the program that started it, or when the next Thimble starts',
  async () => {
    await using place = await createPlace({ mcpServers: { server } });
    const first = await start(place);
    expect(await isAlive(first.stray)).toBe(true);
    const killed = once(first.client.child, 'exit');
    first.client.child.kill('SIGKILL');
    await killed;
    expect(await isAlive(first.stray)).toBe(true);
    const second = await start(place);
    await eventually('what was left behind is gone', async () => !(await isAlive(first.stray)));
    expect(await isAlive(second.stray)).toBe(true);
    await second.client[Symbol.asyncDispose]();
    expect(await isAlive(second.stray)).toBe(false);
  },
  60_000,
);

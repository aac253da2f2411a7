/** Too much of everything, at the real program: a typed error, bounded memory, and the next call works. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { createPlace, fixture } from '../support/program.ts';
import { openStdio, type StdioClient } from '../support/stdio-client.ts';

const MB = 1024 * 1024;
/** `FUZZ_FULL=1` sends a whole gigabyte of stderr; a quarter shows the same. */
const STDERR_BYTES = (process.env['FUZZ_FULL'] === undefined ? 256 : 1_024) * MB;
const ALLOWED_MB = 64;

const statusOf = (pid: number, field: string) =>
  Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

async function setUp() {
  const place = await createPlace({
    mcpServers: { giant: { command: process.execPath, args: [fixture('giant.mjs')] } },
  });
  const client = openStdio(place);
  await client.initialize();
  await client.listed('echo', 'line');
  const call = (name: string, args: JsonObject) => client.request('tools/call', { name, arguments: args });
  // Whatever is compiled and loaded once is not what a big message costs.
  for (let round = 0; round < 50; round++) await call('echo', { text: `warm ${round}` });
  await call('line', { bytes: 100_000 });
  return {
    client,
    call,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

/** By how much resident memory rose above its start while something ran, at its highest. */
async function growthOf({ child }: StdioClient, run: () => Promise<unknown>): Promise<number> {
  const pid = child.pid ?? 0;
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const before = statusOf(pid, 'VmRSS');
  await run();
  return statusOf(pid, 'VmHWM') - before;
}

// Memory is given back when the program gets to it; what holds too much does so every time.
describe('what is too much', { retry: 2 }, () => {
  it('a 50 MB result is refused with its size and the limit', async () => {
    await using parts = await setUp();
    const { client, call } = parts;
    const growth = await growthOf(client, async () => {
      await expect(call('result', { bytes: 50 * MB })).rejects.toMatchObject({
        data: { code: 'RESULT_TOO_LARGE', bytes: expect.any(Number), limit: 16 * MB },
      });
    });
    expect(growth).toBeLessThan(ALLOWED_MB);
    expect(await call('echo', { text: 'next' })).toMatchObject({ content: [{ text: 'next' }] });
  });

  it('a 50 MB line that is no message is skipped, and the answer behind it found', async () => {
    await using parts = await setUp();
    const { client, call } = parts;
    const growth = await growthOf(client, async () => {
      const outcome = await call('line', { bytes: 50 * MB }).catch((error: unknown) => error);
      // Nobody can tell whose answer it was: either the call fails with the size, or it gets the answer behind it.
      expect(JSON.stringify(outcome)).toMatch(/after the line|RESULT_TOO_LARGE/);
    });
    expect(growth).toBeLessThan(ALLOWED_MB);
    expect(await call('echo', { text: 'next' })).toMatchObject({ content: [{ text: 'next' }] });
  });

  it('a flood of stderr is drained and blocks nothing', async () => {
    await using parts = await setUp();
    const { client, call } = parts;
    const growth = await growthOf(client, async () => {
      expect(await call('stderr', { bytes: STDERR_BYTES })).toMatchObject({
        content: [{ text: 'after stderr' }],
      });
    });
    expect(growth).toBeLessThan(ALLOWED_MB);
  });

  it('a result nested a hundred thousand deep fails its own call and nothing else', async () => {
    await using parts = await setUp();
    const { call } = parts;
    await expect(call('deep', { depth: 100_000 })).rejects.toMatchObject({
      data: { code: expect.stringMatching(/RESULT_TOO_LARGE|INTERNAL|UPSTREAM_PROTOCOL/) },
    });
    expect(await call('echo', { text: 'next' })).toMatchObject({ content: [{ text: 'next' }] });
  });

  it('a 50 MB line from the client is refused, and its next request served', async () => {
    await using parts = await setUp();
    const { client, call } = parts;
    const growth = await growthOf(client, async () => {
      const piece = 'y'.repeat(1_000_000);
      for (let sent = 0; sent < 50; sent++) client.send(piece);
      client.send('\n');
      expect(await call('echo', { text: 'next' })).toMatchObject({ content: [{ text: 'next' }] });
    });
    expect(growth).toBeLessThan(ALLOWED_MB);
    expect(client.stdout()).toMatch(/"code":"BODY_TOO_LARGE".*"limit":16777216/);
  });
});

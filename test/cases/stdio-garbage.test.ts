/** What servers print that is no message: skipped and counted, and the next good answer still finds its call. */
import { describe, expect, it } from 'vitest';
import type { UpstreamId } from '../../src/model/ids.ts';
import { openLocalClient } from '../support/in-process.ts';
import { fixture } from '../support/program.ts';
import { readCases } from './shared.ts';

interface Garbage {
  readonly id: string;
  readonly name: string;
  readonly b64: string | null;
  readonly gen: string | null;
}

const all = readCases<Garbage>('stdio_garbage');
const open = ({ b64, gen }: Garbage) =>
  openLocalClient({
    garbage: {
      command: process.execPath,
      args: [fixture('garbage.mjs'), ...(b64 ? ['--b64', b64] : []), ...(gen ? ['--gen', gen] : [])],
    },
  });
const say = (text: string) => ({ name: 'say', arguments: { text } });
const textOf = (text: string) => ({ content: [{ type: 'text', text }] });

/** Blank lines are no garbage, and well-formed answers and requests are judged by what they say. */
const UNCOUNTED = new Set(['blank lines', 'unknown server request']);

describe.each(all.filter((garbage) => garbage.b64 !== null))('$id $name', (garbage) => {
  it('is skipped and counted; every call gets its own answer', async () => {
    await using client = await open(garbage);
    await client.request('tools/list');
    const calls = Array.from({ length: 20 }, (_, at) => client.request('tools/call', say(`answer ${at}`)));
    const answers = await Promise.all(calls);
    for (const [at, answer] of answers.entries()) expect(answer).toMatchObject(textOf(`answer ${at}`));
    const { badLines } = client.gateway.upstreams.get('garbage' as UpstreamId)?.notes() ?? { badLines: -1 };
    if (!UNCOUNTED.has(garbage.name)) expect(badLines).toBeGreaterThan(0);
  });
});

/** Misdeeds that are made rather than given as bytes; the fixture knows how, whether or not the file asks for one. */
const misdeed = (gen: string): Garbage => ({ id: gen, name: gen, b64: null, gen });
const OUTSIZED = misdeed('GEN:50MB-RESULT');
const STDERR = misdeed('GEN:64KB+1-STDERR-THEN-REPLY');
const MANY = misdeed('GEN:10000-TOOLS');
const EXITS = misdeed('GEN:EXIT0');

it('has a test for every misdeed the file names', () => {
  const known = [OUTSIZED, STDERR, MANY, EXITS].map(({ gen }) => gen);
  expect(all.map(({ gen }) => gen).filter((gen) => gen !== null && !known.includes(gen))).toEqual([]);
});

describe('what is too much', () => {
  it('a 50 MB result is refused with its size and the limit, and the next call works', async () => {
    await using client = await open(OUTSIZED);
    await client.request('tools/list');
    await expect(client.request('tools/call', { name: 'say', arguments: {} })).rejects.toMatchObject({
      code: 'RESULT_TOO_LARGE',
      data: { bytes: expect.any(Number), limit: expect.any(Number) },
    });
    expect(
      await client.request('tools/call', { name: 'say', arguments: { behave: true, text: 'again' } }),
    ).toMatchObject(textOf('again'));
  });

  it('a full stderr pipe blocks nothing', async () => {
    await using client = await open(STDERR);
    await client.request('tools/list');
    expect(await client.request('tools/call', { name: 'say', arguments: {} })).toMatchObject(
      textOf('after stderr'),
    );
  });

  it('ten thousand tools are listed once each', async () => {
    await using client = await open(MANY);
    const { tools } = await client.request('tools/list');
    expect(new Set((tools as { name: string }[]).map(({ name }) => name)).size).toBe(10_000);
  });

  it('an exit in the middle of a call is told within a second, and the next call works', async () => {
    await using client = await open(EXITS);
    await client.request('tools/list');
    const started = performance.now();
    await expect(client.request('tools/call', { name: 'say', arguments: {} })).rejects.toMatchObject({
      code: 'UPSTREAM_EXITED',
    });
    // A busy machine may be late; whoever had to wait for the time limit would take a minute.
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(
      await client.request('tools/call', { name: 'say', arguments: { behave: true, text: 'back' } }),
    ).toMatchObject(textOf('back'));
  });
});

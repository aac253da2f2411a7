/** Programs that say too much, too often or the wrong thing, and callers that ask too much: rows F3, F4, F7, F8, F9, and L3 (see crowd.test.ts). */
import { describe, expect, it } from 'vitest';
import { createGateway } from '../../src/gateway.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { LOCAL_PRINCIPAL } from '../../src/model/principal.ts';
import type { Upstream } from '../../src/upstream/upstream.ts';
import { createCall } from '../support/contexts.ts';
import {
  IS_FULL,
  measureEcho,
  outcome,
  percentile,
  printFigures,
  timed,
  times,
} from '../support/fault-kit.ts';
import { PLAIN } from '../support/plain-config.ts';
import { callText, createTestUpstreams, toConfig } from '../support/upstream-parts.ts';

const MB = 1024 * 1024;

/** Kinds of garbage a program may print before its answer. */
const GARBAGE: readonly (readonly [string, Buffer])[] = [
  'hello world\n',
  '{"half": \n',
  '[]\n',
  '[1,2,3]\n',
  'null\n',
  '42\n',
  '"text"\n',
  '{}\n',
  '{"jsonrpc":"1.0","id":1,"result":{}}\n',
  '{"jsonrpc":"2.0"}\n',
  '{"jsonrpc":"2.0","id":999999,"result":{}}\n',
  '{"jsonrpc":"2.0","id":"made-up","error":{"code":-1,"message":"x"}}\n',
  '\u001b[31mred\u001b[0m\n',
  '\n\n\n',
  '\r\n\r\n',
  '   \t \n',
  'Content-Length: 20\r\n\r\n',
  'data: {"jsonrpc":"2.0"}\n\n',
  `${'['.repeat(10_000)}\n`,
  `${'y'.repeat(60_000)}\n`,
].map((text) => [JSON.stringify(text).slice(0, 40), Buffer.from(text)] as const);
const BINARY = ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x00, 0x80, 0x0a])] as const;

describe('a program', () => {
  it('F3: that prints garbage is answered for all the same, and the garbage is counted', async () => {
    const kinds = [...GARBAGE, BINARY];
    const { upstreams } = createTestUpstreams();
    await upstreams.apply(
      kinds.map(([, bytes], at) => toConfig(`g${at}`, 'garbage.mjs', ['--b64', bytes.toString('base64')])),
    );
    let right = 0;
    let counted = 0;
    for (const [at, upstream] of upstreams.all.entries()) {
      for (const text of [`first ${at}`, `second ${at}`])
        expect(await callText(upstream, 'say', { text }), kinds[at]?.[0]).toBe(text);
      right += 1;
      counted += (await upstream.status()).badLines > 0 ? 1 : 0;
    }
    printFigures('F3', { kinds: kinds.length, 'answered right': right, 'counted as noise': counted });
    // Blank lines are no noise.
    expect(counted).toBe(kinds.length - 3);
    await upstreams[Symbol.asyncDispose]();
  });

  it('F4: that sends 50 MB where 16 are allowed, or floods stderr, is refused or drained', async () => {
    const { upstreams } = createTestUpstreams();
    await upstreams.apply([toConfig('giant', 'giant.mjs', [], { timeoutMs: 60_000 })]);
    const [giant] = upstreams.all;
    await callText(giant, 'line', { bytes: 100_000 });
    const before = process.memoryUsage.rss();
    const result = await outcome(callText(giant, 'result', { bytes: 50 * MB }));
    expect(result).toMatchObject({
      code: 'RESULT_TOO_LARGE',
      data: { limit: 16 * MB, bytes: expect.any(Number) },
    });
    const line = await outcome(callText(giant, 'line', { bytes: 50 * MB }));
    expect(line instanceof Error ? line : { code: line }).toMatchObject({
      code: expect.stringMatching(/RESULT_TOO_LARGE|after the line/),
    });
    const flooded = await timed(() => callText(giant, 'stderr', { bytes: times(128, 1_024) * MB }));
    expect(flooded.value).toBe('after stderr');
    expect(await callText(giant, 'echo', { text: 'next' })).toBe('next');
    const grown = (process.memoryUsage.rss() - before) / MB;
    printFigures('F4', {
      'stderr MB': times(128, 1_024),
      'drained in ms': Math.round(flooded.ms),
      'memory grown by MB (with the test runner)': Math.round(grown),
    });
    expect((await giant?.status())?.stderr.length).toBeLessThanOrEqual(200);
    await upstreams[Symbol.asyncDispose]();
  });

  it('F7: that offers 10,000 tools is listed and searched, one with endless pages is cut', async () => {
    await using gateway = await createGateway({
      ...PLAIN,
      mcpServers: {
        many: toEntry(['--tools', '10000']),
        wordy: toEntry(['--tools', '1', '--describe', String(MB)]),
        endless: toEntry(['--tools', '1', '--pages', '0']),
      },
    });
    const firstLists = await timed(() => Promise.all(gateway.upstreams.all.map((u) => u.firstContact)));
    const toolsOf = (name: string) =>
      gateway.upstreams.all.find(({ config }) => config.name === name)?.manifest?.lists.tool ?? [];
    expect(toolsOf('many').length).toBeGreaterThanOrEqual(10_000);
    expect(toolsOf('endless').length).toBeGreaterThan(100);
    expect(toolsOf('endless').length).toBeLessThanOrEqual(1_100);
    const options = { limit: 10, where: () => true, caller: 'test' };
    await gateway.catalog.search('thing number 1', options);
    await gateway.catalog.searchReady();
    const searches: number[] = [];
    for (let at = 0; at < times(40, 200); at++)
      searches.push((await timed(() => gateway.catalog.search(`thing number ${at * 37}`, options))).ms);
    const listing = await timed(async () => gateway.catalog.current.list('tool').length);
    printFigures('F7', {
      tools: listing.value,
      'pages of an endless list': toolsOf('endless').length - 10,
      'all known after ms': Math.round(firstLists.ms),
      'listed in ms': Math.round(listing.ms),
      'search p95 ms': percentile(searches, 95).toFixed(1),
    });
    expect(listing.ms).toBeLessThan(IS_FULL ? 2_000 : 10_000);
    if (IS_FULL) expect(percentile(searches, 95)).toBeLessThan(50);
    else expect(Math.min(...searches)).toBeLessThan(50);
  });

  it('F8: that says 10,000 times a second that its tools changed is read four times at most', async () => {
    const storms = 5;
    const mcpServers = Object.fromEntries([
      ...Array.from({ length: storms }, (_, at) => [`storm${at}`, toEntry(['--name', `storm${at}`])]),
      ['calm', toEntry(['--name', 'calm'])],
    ]) as Record<string, JsonObject>;
    await using gateway = await createGateway({ ...PLAIN, mcpServers });
    await Promise.all(gateway.upstreams.all.map(({ firstContact }) => firstContact));
    let notices = 0;
    const session = gateway.sessions.openLegacy({
      endpoint: gateway.sessions.endpointOf('/mcp', undefined),
      principal: LOCAL_PRINCIPAL,
      push: (method) => {
        if (method === 'notifications/tools/list_changed') notices += 1;
      },
    });
    const signal = new AbortController().signal;
    const hello = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 't', version: '1' },
    };
    await session.request('initialize', hello, { id: 1, signal, client: { notify() {} } });
    const stormy = gateway.upstreams.all.filter(({ config }) => config.name.startsWith('storm'));
    const calm = gateway.upstreams.all.filter(({ config }) => config.name === 'calm');
    await measureEcho(calm, 300);
    const quiet = await measureEcho(calm, 600);
    const raging = timed(() =>
      Promise.all(stormy.map((upstream) => callText(upstream, 'storm', { notices: 10_000, ms: 1_000 }))),
    );
    const loud = await measureEcho(calm, 600);
    const { ms } = await raging;
    const reads = await settledReads(stormy);
    const grown = gateway.catalog.current.list('tool').filter(({ name }) => name.startsWith('grown_'));
    printFigures('F8', {
      notices: storms * 10_000,
      'lists read by each (max)': Math.max(...reads),
      'told to the client': notices,
      "another's p99 quiet ms": percentile(quiet, 99).toFixed(1),
      'in the storm ms': percentile(loud, 99).toFixed(1),
    });
    // Once a second at most: where it takes a machine longer to say all of it, it is read more often.
    const more = Math.max(0, Math.floor(ms / 1_000) - 1);
    expect(Math.max(...reads)).toBeLessThanOrEqual(4 + more);
    expect(grown).toHaveLength(storms * 20);
    expect(notices).toBeGreaterThan(0);
    expect(notices).toBeLessThanOrEqual(2 + more);
    session.close();
  });

  it('F9: hears within a second that a caller is gone, and its place is free', async () => {
    const rounds = times(10, 50);
    const { upstreams } = createTestUpstreams();
    await upstreams.apply([toConfig('echo', 'faulty.mjs')]);
    const [echo] = upstreams.all;
    await echo?.firstContact;
    const taken: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      const call = createCall();
      const gone = outcome(echo?.request('tools/call', { name: 'hang' }, call));
      await expect.poll(async () => (await echo?.status())?.running).toBe(1);
      const { ms } = await timed(async () => {
        call.cancel();
        await gone;
        while ((await callText(echo, 'cancellations')) !== String(round));
      });
      taken.push(ms);
      expect((await echo?.status())?.running).toBe(0);
    }
    printFigures('F9', { drops: rounds, 'heard of within ms (max)': Math.round(Math.max(...taken)) });
    expect(percentile(taken, 50)).toBeLessThan(1_000);
    // Whoever was not told would hang for thirty seconds.
    expect(Math.max(...taken)).toBeLessThan(20_000);
    await upstreams[Symbol.asyncDispose]();
  });

  it('L3: with 8 places and a queue of 64 serves 72 of 2,000 calls at once and refuses the rest at once', async () => {
    const { upstreams } = createTestUpstreams();
    const limits = { maxInFlight: 8, maxQueue: 64 };
    await upstreams.apply([toConfig('full', 'faulty.mjs', [], { limits })]);
    const [full] = upstreams.all as [Upstream];
    await full.firstContact;
    const calls = Array.from({ length: 2_000 }, () =>
      timed(() => outcome(callText(full, 'sleep', { ms: 200 }))),
    );
    const all = await Promise.all(calls);
    const served = all.filter(({ value }) => value === 'slept');
    const refused = all.filter(({ value }) => value instanceof Error);
    for (const { value } of refused)
      expect(value).toMatchObject({
        code: 'TOO_BUSY',
        data: { upstream: 'full', retryInMs: expect.any(Number) },
      });
    const slowest = Math.max(...refused.map(({ ms }) => ms));
    printFigures('L3 at the server itself', {
      served: served.length,
      refused: refused.length,
      'refused within ms (max)': Math.round(slowest),
    });
    expect([served.length, refused.length]).toEqual([72, 1_928]);
    // At once: before the first of those that were served.
    expect(slowest).toBeLessThan(Math.min(...served.map(({ ms }) => ms)));
    await upstreams[Symbol.asyncDispose]();
  });
});

function toEntry(args: readonly string[]): JsonObject {
  const { options } = toConfig('x', 'faulty.mjs', args);
  return options;
}

/** How often each list was read because of changes, once nobody reads any more. */
async function settledReads(upstreams: readonly Upstream[]): Promise<number[]> {
  const read = () => Promise.all(upstreams.map(async (each) => Number(await callText(each, 'reads')) - 1));
  let last = await read();
  for (let same = 0; same < 3; ) {
    await new Promise((resolve) => setTimeout(resolve, 600));
    const next = await read();
    same = String(next) === String(last) ? same + 1 : 0;
    last = next;
  }
  return last;
}

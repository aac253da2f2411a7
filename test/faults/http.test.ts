/** Servers at a URL that answer wrongly, vanish and return: row F21, and the way back without a call. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import type { UpstreamId } from '../../src/model/ids.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { http } from '../../src/upstream/connectors/http/connector.ts';
import { createKeyring } from '../../src/upstream/credentials/keyring.ts';
import type { UpstreamConfig } from '../../src/upstream/upstream.ts';
import { createAgreeable, startAuthorization, startResource } from '../support/authorization-server.ts';
import { createFastClock } from '../support/fake-clock.ts';
import { IS_FULL, outcome, printFigures, timed, times } from '../support/fault-kit.ts';
import { openFaultProxy } from '../support/fault-proxy.ts';
import { startFaultyHttp } from '../support/faulty-http.ts';
import { startHttpServer } from '../support/http-server.ts';
import { callText, createTestUpstreams, toConfig } from '../support/upstream-parts.ts';

const MB = 1024 * 1024;
const at = (url: string, more: Partial<UpstreamConfig> = {}): UpstreamConfig => ({
  ...toConfig('web', ''),
  kind: 'http',
  options: { url },
  ...more,
});

describe('a server at a URL', () => {
  it('F21: that answers in eight wrong ways fails those calls by name, and the next one works', async () => {
    await using server = await startFaultyHttp();
    const { upstreams } = createTestUpstreams({ connectors: [http] });
    await upstreams.apply([at(`http://127.0.0.1:${server.port}/mcp`)]);
    const [web] = upstreams.all;
    await web?.firstContact;
    const before = process.memoryUsage.rss();
    const expected: Readonly<Record<string, unknown>> = {
      busy: { code: 'TOO_BUSY', data: { upstream: 'web', retryInMs: 7_000 } },
      broken: { code: 'UPSTREAM_UNAVAILABLE', data: { upstream: 'web', status: 500 } },
      locked: { code: 'UPSTREAM_AUTH', data: { upstream: 'web' } },
      reset: { code: 'UPSTREAM_UNAVAILABLE', data: { upstream: 'web' } },
      bomb: { code: 'UPSTREAM_PROTOCOL', data: { upstream: 'web' } },
      page: { code: 'UPSTREAM_PROTOCOL', data: { upstream: 'web' } },
      elsewhere: {
        code: 'UPSTREAM_UNAVAILABLE',
        message: expect.stringContaining('redirects to another origin'),
      },
    };
    for (const [tool, error] of Object.entries(expected)) {
      expect(await outcome(callText(web, tool)), tool).toMatchObject(error as object);
      expect(await callText(web, 'echo', { text: `after ${tool}` })).toBe(`after ${tool}`);
      expect(server.calls.get(tool), `${tool} was sent again`).toBe(1);
    }
    expect(await callText(web, 'moved', { text: 'followed' })).toBe('followed');
    const grown = (process.memoryUsage.rss() - before) / MB;
    printFigures('F21', {
      'wrong answers typed': Object.keys(expected).length,
      'redirects followed': 1,
      'memory grown by MB (a bomb of 200 among them, made in this process)': Math.round(grown),
    });
    await upstreams[Symbol.asyncDispose]();
  });

  it('F21: whose answer comes byte by byte says the same', async () => {
    await using server = await startFaultyHttp();
    await using proxy = await openFaultProxy(server.port);
    const { upstreams } = createTestUpstreams({ connectors: [http] });
    await upstreams.apply([at(`${proxy.origin}/mcp`)]);
    const [web] = upstreams.all;
    await web?.firstContact;
    const text = 'ä 漢字 🙂 \\u2028 "quoted" '.repeat(20);
    const whole = await callText(web, 'stream', { text });
    proxy.fault = { sliceBytes: 1 };
    const sliced = await timed(() => callText(web, 'stream', { text }));
    expect(sliced.value).toBe(whole);
    expect(sliced.value).toBe(text);
    // The first cut is at every byte of the answer in turn, its headers too.
    const short = 'ä 漢 🙂';
    const first = Array.from({ length: 400 }, (_, byte) => byte + 1);
    let identical = 0;
    for (const sliceBytes of first) {
      proxy.fault = { sliceBytes };
      identical += (await callText(web, 'stream', { text: short })) === short ? 1 : 0;
    }
    printFigures('F21', {
      'an answer in pieces of one byte, ms': Math.round(sliced.ms),
      'places of the first cut': first.length,
      identical,
    });
    expect(identical).toBe(first.length);
    await upstreams[Symbol.asyncDispose]();
  });

  it('F21: that takes our token no more is sent the call once more, with a token fetched once', async () => {
    const rounds = times(10, 50);
    const authority = await startAuthorization();
    const resource = await startResource(authority);
    const store = createMemoryStore().credentials;
    const keyring = createKeyring({ store, clock: systemClock });
    const { upstreams } = createTestUpstreams({ connectors: [http], keyring });
    await upstreams.apply([at(resource.url, { era: 'legacy' })]);
    const [web] = upstreams.all;
    await web?.firstContact;
    await keyring.logIn('web' as UpstreamId, createAgreeable());
    expect(await callText(web, 'secret')).toBe('told');
    const sent = () => resource.seen.filter(({ body }) => body.includes('"tools/call"')).length;
    const before = sent();
    for (let round = 1; round <= rounds; round++) {
      authority.revoke();
      expect(await callText(web, 'secret')).toBe('told');
      expect(authority.tokenRequests('refresh_token')).toHaveLength(round);
    }
    printFigures('F21', {
      'tokens refused': rounds,
      refreshes: authority.tokenRequests('refresh_token').length,
      'calls sent': sent() - before,
      'calls answered': rounds,
    });
    // Once in vain, and once with the new token.
    expect(sent() - before).toBe(2 * rounds);
    expect(web?.state.is).toBe('online');
    await upstreams[Symbol.asyncDispose]();
    await resource.close();
    await authority.close();
  });

  it('that swallows everything costs its callers their time limit, and is used again when it is back', async () => {
    await using server = await startFaultyHttp();
    await using proxy = await openFaultProxy(server.port);
    const { upstreams } = createTestUpstreams({ connectors: [http] });
    const limits = { toolTimeoutsMs: { lost: 400 } };
    await upstreams.apply([at(`${proxy.origin}/mcp`, { limits })]);
    const [web] = upstreams.all;
    await web?.firstContact;
    proxy.fault = { blackHole: true };
    const swallowed = await Promise.all(
      Array.from({ length: times(20, 50) }, () => timed(() => outcome(callText(web, 'lost')))),
    );
    for (const { value } of swallowed) expect(value).toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
    proxy.fault = {};
    await expect.poll(() => outcome(callText(web, 'echo', { text: 'back' }))).toBe('back');
    proxy.fault = { delayMs: 50 };
    expect(await callText(web, 'echo', { text: 'slow' })).toBe('slow');
    proxy.fault = { resetAfterBytes: 10 };
    expect(await outcome(callText(web, 'echo'))).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    const over = Math.max(...swallowed.map(({ ms }) => ms)) - 400;
    printFigures('black hole', { calls: swallowed.length, 'over the limit by ms (max)': Math.round(over) });
    // Those of other tools are given thirty seconds.
    expect(over).toBeLessThan(10_000);
    await upstreams[Symbol.asyncDispose]();
  });

  it.each(['legacy', 'modern'] as const)(
    'of the %s era that goes away and returns is usable within 90 seconds, with no call made',
    // Time runs faster here, so that a moment in which the machine stands still counts for half a minute.
    { timeout: 600_000, retry: 2 },
    async (era) => {
      const factor = IS_FULL ? 1 : 15;
      const clock = createFastClock(factor);
      const server = await startHttpServer(era);
      onTestFinished(() => server.close());
      await using proxy = await openFaultProxy(Number(new URL(server.url).port));
      await using upstreams = createTestUpstreams({ connectors: [http], clock }).upstreams;
      await upstreams.apply([at(`${proxy.origin}/mcp`, { startTimeoutMs: 60_000 })]);
      const [web] = upstreams.all;
      await web?.firstContact;
      expect(web?.state.is).toBe('online');
      const left = clock.now();
      await proxy.goDown();
      await expect.poll(() => web?.state.is, { timeout: 120_000, interval: 20 }).toBe('offline');
      const noticed = clock.now() - left;
      // Long enough for the breaker to open and the probes to be as far apart as they get.
      await expect
        .poll(() => clock.now() - left, { timeout: 400_000, interval: 100 })
        .toBeGreaterThan(times(120_000, 180_000));
      expect(web?.state.is).not.toBe('online');
      const returned = clock.now();
      await proxy.comeUp();
      await expect.poll(() => web?.state.is, { timeout: 120_000, interval: 20 }).toBe('online');
      const back = clock.now() - returned;
      printFigures(`away and back, ${era}`, {
        'noticed after s': (noticed / 1000).toFixed(1),
        'back after s': (back / 1000).toFixed(1),
      });
      expect(back).toBeLessThan(90_000);
    },
  );
});

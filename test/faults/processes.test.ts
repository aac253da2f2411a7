/** Programs that die, hang, start slowly or not at all: rows F1, F2, F5 and F6. */
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createCall } from '../support/contexts.ts';
import { createFastClock } from '../support/fake-clock.ts';
import {
  IS_FULL,
  measureEcho,
  measureFor,
  outcome,
  percentile,
  printFigures,
  timed,
  times,
} from '../support/fault-kit.ts';
import { callText, createTestUpstreams, toConfig } from '../support/upstream-parts.ts';

const scratch = () => join(mkdtempSync(join(tmpdir(), 'thimble-')), 'log');
const linesOf = (path: string) => readFileSync(path, 'utf8').trim().split('\n');

describe('a program', () => {
  it('F1: that is killed during a call fails it at once, is not called twice, and is back for the next', async () => {
    const rounds = times(8, 50);
    const log = scratch();
    const { upstreams } = createTestUpstreams();
    await upstreams.apply([toConfig('victim', 'faulty.mjs', ['--log', log])]);
    const [victim] = upstreams.all;
    await victim?.firstContact;
    const failing: number[] = [];
    const coming: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const pid = Number(await callText(victim, 'pid'));
      const call = outcome(callText(victim, 'hang'));
      await expect.poll(() => linesOf(log).filter((line) => line === 'hang').length).toBe(round + 1);
      process.kill(pid, 'SIGKILL');
      const failed = await timed(() => call);
      expect(failed.value).toMatchObject({ code: 'UPSTREAM_EXITED', data: { upstream: 'victim' } });
      failing.push(failed.ms);
      const next = await timed(() => callText(victim, 'echo', { text: 'back' }));
      expect(next.value).toBe('back');
      coming.push(next.ms);
    }
    const arrived = linesOf(log).filter((line) => line === 'hang').length;
    expect(arrived).toBe(rounds);
    expect(percentile(failing, 50)).toBeLessThan(1_000);
    expect(percentile(coming, 50)).toBeLessThan(5_000);
    // Whoever had to wait for the time limit would take thirty seconds.
    expect(Math.max(...failing, ...coming)).toBeLessThan(20_000);
    printFigures('F1', {
      kills: rounds,
      'typed within ms (max)': Math.round(Math.max(...failing)),
      'next call within ms (max)': Math.round(Math.max(...coming)),
      'calls sent twice': arrived - rounds,
    });
    await upstreams[Symbol.asyncDispose]();
  });

  // Measured again where a bound is missed: what costs the others anything does so every time.
  it('F2: that hangs costs its own callers their time limit and the others nothing', {
    retry: 3,
  }, async () => {
    const rounds = times(3, 50);
    const limitMs = 400;
    await using upstreams = createTestUpstreams().upstreams;
    const others = Array.from({ length: 6 }, (_, at) =>
      toConfig(`other-${at}`, 'echo-server.mjs', ['--name', `${at}`]),
    );
    const limits = { toolTimeoutsMs: { echo: limitMs, hang: limitMs } };
    await upstreams.apply([toConfig('hangs', 'faulty.mjs', [], { limits }), ...others]);
    const [hangs, ...rest] = upstreams.all;
    await Promise.all(upstreams.all.map(({ firstContact }) => firstContact));
    const pid = Number(await callText(hangs, 'pid'));
    await measureEcho(rest, 60);
    const over: number[] = [];
    const quiet: number[] = [];
    const loud: number[] = [];
    for (let round = 0; round < rounds; round++) {
      quiet.push(...(await measureFor(limitMs, rest)));
      process.kill(pid, 'SIGSTOP');
      const waiting = Array.from({ length: 20 }, () =>
        timed(() => outcome(callText(hangs, 'echo', { text: 'x' }))),
      );
      // For as long as they hang: a shorter look would show little but the moment in which they are sent.
      loud.push(...(await measureFor(limitMs, rest)));
      for (const { value, ms } of await Promise.all(waiting)) {
        expect(value).toMatchObject({
          code: 'UPSTREAM_TIMEOUT',
          data: { upstream: 'hangs', timeoutMs: limitMs },
        });
        over.push(ms - limitMs);
      }
      process.kill(pid, 'SIGCONT');
    }
    await expect.poll(() => outcome(callText(hangs, 'echo', { text: 'again' }))).toBe('again');
    const hanging = createCall();
    const hung = outcome(hangs?.request('tools/call', { name: 'hang' }, hanging));
    await hung;
    await expect.poll(() => callText(hangs, 'cancellations')).toBe('1');
    const p99Ratio = percentile(loud, 99) / percentile(quiet, 99);
    const p50Ratio = percentile(loud, 50) / percentile(quiet, 50);
    printFigures('F2', {
      'calls that hung': over.length,
      'over the limit by ms (max)': Math.round(Math.max(...over)),
      "others' p99 quiet ms": percentile(quiet, 99).toFixed(1),
      'with one hanging ms': percentile(loud, 99).toFixed(1),
      'ratio of p99': p99Ratio.toFixed(2),
      'of p50': p50Ratio.toFixed(2),
    });
    expect(percentile(over, 50)).toBeLessThan(1_000);
    expect(Math.max(...over)).toBeLessThan(10_000);
    // A short run has too few calls for its 99th percentile to say more than how busy the machine was.
    if (IS_FULL) expect(p99Ratio).toBeLessThan(1.5);
    else expect(p50Ratio).toBeLessThan(3);
  });

  it('F5: that starts slowly or never leaves the others usable at once, and is told of', async () => {
    const { upstreams } = createTestUpstreams();
    const startTimeoutMs = times(4_000, 70_000);
    // Slow enough to be seen starting, also by who is kept from looking for a while.
    const slowMs = times(8_000, 60_000);
    const { ms: ready } = await timed(() =>
      upstreams.apply([
        toConfig('slow', 'faulty.mjs', ['--start-after', String(slowMs)], {
          startTimeoutMs: slowMs + 60_000,
        }),
        toConfig('never', 'never-answers.mjs', [], { startTimeoutMs }),
        toConfig('good', 'echo-server.mjs'),
      ]),
    );
    const [slow, never, good] = upstreams.all;
    const first = await timed(() => callText(good, 'echo', { text: 'at once' }));
    expect(first.value).toBe('at once');
    const call = createCall();
    const params = { name: 'echo', arguments: { text: 'late' }, _meta: { progressToken: 1 } };
    const late = slow?.request('tools/call', params, call);
    await expect.poll(async () => (await slow?.status())?.says).toMatch(/^is starting, for [1-9]\d* s/);
    expect(await late).toMatchObject({ content: [{ text: 'late' }] });
    expect(call.heard[0]?.params).toMatchObject({ progressToken: 1, message: 'starting slow' });
    const refused = await timed(() => outcome(callText(never, 'echo')));
    expect(refused.value).toMatchObject({ code: expect.stringMatching(/UPSTREAM_(TIMEOUT|UNAVAILABLE)/) });
    expect(never?.state).toMatchObject({ reason: expect.stringContaining(`within ${startTimeoutMs} ms`) });
    printFigures('F5', {
      'ready after ms': Math.round(ready),
      'first call of another after ms': Math.round(first.ms),
      'progress notices': call.heard.length,
    });
    expect(ready + first.ms).toBeLessThan(slowMs);
    await upstreams[Symbol.asyncDispose]();
  });

  it('F6: that ends at once is started eight times in five minutes at most', async () => {
    const factor = IS_FULL ? 1 : 20;
    const clock = createFastClock(factor);
    const starts = scratch();
    const { upstreams } = createTestUpstreams({ clock });
    const began = clock.now();
    const before = process.cpuUsage();
    await upstreams.apply([
      toConfig('loop', 'counted-exit.mjs', ['--starts', starts], { startTimeoutMs: 600_000 }),
    ]);
    const [loop] = upstreams.all;
    await expect.poll(() => loop?.state.is, { timeout: 120_000 }).toBe('failed');
    const { says } = (await loop?.status()) ?? {};
    expect(says).toMatch(/^ends again and again .*; it is tried again by itself in \d+ s$/);
    await expect
      .poll(() => clock.now() - began, { timeout: 320_000, interval: 500 })
      .toBeGreaterThan(300_000);
    const cpu = process.cpuUsage(before);
    const share = ((cpu.user + cpu.system) / 1000 / 300_000) * 100;
    printFigures('F6', { 'starts in 5 min': linesOf(starts).length, 'cpu %': share.toFixed(2) });
    expect(linesOf(starts).length).toBeLessThanOrEqual(8);
    expect(share).toBeLessThan(2);
    await upstreams[Symbol.asyncDispose]();
  }, 400_000);
});

/** Fifty servers at once, two of them bad: the first start is quick, the second complete at once. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createPlace, descendantsOf, eventually, fixture, readSlowness } from '../support/program.ts';
import { namesOf, openStdio } from '../support/stdio-client.ts';

const GOOD = Array.from({ length: 48 }, (_, index) => `s${String(index).padStart(2, '0')}`);
const node = (file: string, ...args: string[]) => ({
  command: process.execPath,
  args: [fixture(file), ...args],
});

const good = GOOD.map((name) => [name, node('echo-server.mjs', '--name', name, '--tools', '3')] as const);
const createFifty = () =>
  createPlace({
    mcpServers: {
      ...Object.fromEntries(good),
      silent: node('never-answers.mjs'),
      quitter: node('exits-at-once.mjs'),
    },
  });

const serversIn = (names: readonly string[]) => new Set(names.map((name) => name.split('__')[0]));
const firstTools = GOOD.map((name) => `${name}__echo`);

// Times are those of a quiet machine; a busy one is given as many times more as it needs to start anything at all.
describe('fifty servers, one of which never answers and one of which exits at once', { retry: 2 }, () => {
  it('answers the first list within 2 s and knows the 48 good ones within 10 s, saying so', async () => {
    await using place = await createFifty();
    const slowness = await readSlowness();
    await using client = openStdio(place);
    await client.initialize();
    const first = serversIn(namesOf(await client.request('tools/list'))).size;
    expect(performance.now() - client.started).toBeLessThan(2_000 * slowness);
    const known = serversIn(await client.listed(...firstTools));
    expect(known.size).toBe(48);
    expect(performance.now() - client.started).toBeLessThan(10_000 * slowness);
    await eventually(
      'list-changed was sent for those that came later',
      () => first === 48 || client.notifications.includes('notifications/tools/list_changed'),
    );
  });

  it('is complete within 300 ms on the second start, and starts nothing for it', async () => {
    await using place = await createFifty();
    {
      await using client = openStdio(place);
      await client.initialize();
      await client.listed(...firstTools);
    }
    let quickest = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 5 || (round < 20 && quickest > 300); round++) {
      await using client = openStdio(place);
      const [, tools] = await Promise.all([client.initialize(), client.request('tools/list')]);
      quickest = Math.min(quickest, performance.now() - client.started);
      expect(serversIn(namesOf(tools)).size).toBe(48);
      expect(await descendantsOf(client.child.pid ?? 0)).toEqual([]);
      const status = await readFile(`/proc/${client.child.pid}/status`, 'utf8');
      expect(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024).toBeLessThan(120);
    }
    expect(quickest).toBeLessThan(300 * (await readSlowness()));
  });
});

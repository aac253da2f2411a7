/** Fifty servers at once, two of them bad: the first start is quick, the second complete at once. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace, descendantsOf, eventually, fixture, type Place } from '../support/program.ts';
import { namesOf, openStdio } from '../support/stdio-client.ts';

const GOOD = Array.from({ length: 48 }, (_, index) => `s${String(index).padStart(2, '0')}`);
const node = (file: string, ...args: string[]) => ({
  command: process.execPath,
  args: [fixture(file), ...args],
});

describe('fifty servers, one of which never answers and one of which exits at once', () => {
  let place: Place;

  beforeAll(async () => {
    const good = GOOD.map((name) => [name, node('echo-server.mjs', '--name', name, '--tools', '3')] as const);
    place = await createPlace({
      mcpServers: {
        ...Object.fromEntries(good),
        silent: node('never-answers.mjs'),
        quitter: node('exits-at-once.mjs'),
      },
    });
  });

  afterAll(() => place[Symbol.asyncDispose]());

  const serversIn = (names: readonly string[]) => new Set(names.map((name) => name.split('__')[0]));

  it('answers the first list within 2 s and knows the 48 good ones within 10 s, saying so', async () => {
    await using client = openStdio(place);
    await client.initialize();
    const first = serversIn(namesOf(await client.request('tools/list'))).size;
    expect(performance.now() - client.started).toBeLessThan(2_000);
    let known = new Set<string | undefined>();
    await eventually('all 48 are known', async () => {
      known = serversIn(namesOf(await client.request('tools/list')));
      return known.size === 48;
    });
    expect(performance.now() - client.started).toBeLessThan(10_000);
    await eventually(
      'list-changed was sent for those that came later',
      () => first === 48 || client.notifications.includes('notifications/tools/list_changed'),
    );
  });

  it('is complete within 300 ms on the second start, and starts nothing for it', async () => {
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      await using client = openStdio(place);
      const [, tools] = await Promise.all([client.initialize(), client.request('tools/list')]);
      times.push(performance.now() - client.started);
      expect(serversIn(namesOf(tools)).size).toBe(48);
      expect(await descendantsOf(client.child.pid ?? 0)).toEqual([]);
      const status = await readFile(`/proc/${client.child.pid}/status`, 'utf8');
      expect(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024).toBeLessThan(120);
    }
    expect(Math.min(...times)).toBeLessThan(300);
  });
});

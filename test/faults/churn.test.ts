/** Starts and stops without end: nothing is left behind, neither by a gateway that ends nor by one that is killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { createProcessGroups } from '../../src/upstream/process-groups.ts';
import { createContext } from '../support/contexts.ts';
import { createFastClock } from '../support/fake-clock.ts';
import {
  countHandles,
  countMarked,
  createCountingClock,
  outcome,
  printFigures,
  timed,
  times,
} from '../support/fault-kit.ts';
import { callText, createTestUpstreams, toConfig } from '../support/upstream-parts.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures', import.meta.url));
const scratch = () => mkdtempSync(join(tmpdir(), 'thimble-'));

describe('starts and stops', () => {
  it('leave no process, file handle, timer or note behind', async () => {
    const rounds = times(5, 50);
    const servers = 20;
    const mark = `mark-${randomUUID()}`;
    const home = scratch();
    const clock = createCountingClock();
    const faults: unknown[] = [];
    const onFault = (error: unknown) => faults.push(error);
    const groups = createProcessGroups({ directory: join(home, 'groups'), clock, onFault });
    const handles = countHandles();
    const { upstreams } = createTestUpstreams({ clock, groups });
    const configs = Array.from({ length: servers }, (_, at) =>
      toConfig(`s${at}`, 'faulty.mjs', ['--name', `s${at}`, '--grandchild', mark]),
    );
    await upstreams.apply(configs);
    const { ms } = await timed(async () => {
      for (let round = 0; round < rounds; round++) {
        if (round > 0) await Promise.all(upstreams.all.map((each) => each.restart('the test says so')));
        const said = await Promise.all(
          upstreams.all.map((each) => callText(each, 'echo', { text: each.config.name })),
        );
        expect(said).toEqual(configs.map(({ name }) => name));
      }
    });
    await expect.poll(() => countMarked(mark)).toBe(servers * 2);
    const status = await Promise.all(upstreams.all.map((each) => each.status()));
    const starts = status.reduce((sum, { restarts }) => sum + restarts + 1, 0);
    await upstreams[Symbol.asyncDispose]();
    await expect.poll(() => countMarked(mark)).toBe(0);
    await expect.poll(() => readdirSync(join(home, 'groups'))).toEqual([]);
    await expect.poll(countHandles).toBeLessThanOrEqual(handles);
    printFigures('churn', {
      'starts and stops': starts,
      servers,
      'in s': Math.round(ms / 1000),
      'processes left': await countMarked(mark),
      'handles more': countHandles() - handles,
      'timers left': clock.pending,
    });
    expect(starts).toBe(servers * rounds);
    expect(clock.pending).toBe(0);
    expect(faults).toEqual([]);
  }, 600_000);

  it('of a gateway that was killed are cleared away by the next, and another gateway is left alone', async () => {
    const program = await buildOwner();
    const [mine, theirs] = [`mark-${randomUUID()}`, `mark-${randomUUID()}`];
    const [home, otherHome] = [scratch(), scratch()];
    const killed = await startOwner(program, home, mine, 4);
    const living = await startOwner(program, otherHome, theirs, 2);
    const before = { mine: await countMarked(mine), theirs: await countMarked(theirs) };
    expect(before).toEqual({ mine: 9, theirs: 5 });
    killed.kill('SIGKILL');
    await once(killed, 'exit');
    const faults: unknown[] = [];
    const onFault = (error: unknown) => faults.push(error);
    const sweep = (at: string) =>
      createProcessGroups({ directory: join(at, 'groups'), clock: systemClock, onFault }).sweep();
    const orphans = await countMarked(mine);
    expect(orphans).toBeGreaterThanOrEqual(4);
    const { ms, value } = await timed(() => sweep(home));
    await expect.poll(() => countMarked(mine)).toBe(0);
    expect(value).toHaveLength(4);
    expect(await sweep(otherHome)).toEqual([]);
    expect(await countMarked(theirs)).toBe(before.theirs);
    printFigures('killed gateway', {
      'left by it': orphans,
      'cleared in ms': Math.round(ms),
      'left after': await countMarked(mine),
      'of another gateway, before and after': `${before.theirs} and ${await countMarked(theirs)}`,
    });
    living.kill('SIGKILL');
    await once(living, 'exit');
    await sweep(otherHome);
    await expect.poll(() => countMarked(theirs)).toBe(0);
    expect(faults).toEqual([]);
  });

  it('L5: of instances for single clients stay bounded, and all are gone when their clients are', async () => {
    const sessions = times(60, 1_000);
    // Not faster: a program that ends to make room for another has to be gone within eight of these seconds.
    const clock = createFastClock(times(15, 60));
    const mark = `mark-${randomUUID()}`;
    const { upstreams } = createTestUpstreams({ clock });
    const more = { interactive: 'per-session', timeoutMs: 600_000, startTimeoutMs: 600_000 } as const;
    await upstreams.apply([toConfig('own', 'faulty.mjs', ['--grandchild', mark], more)]);
    const [own] = upstreams.all;
    await own?.firstContact;
    let most = 0;
    for (let session = 0; session < sessions; session += 4) {
      const answers = await Promise.all(
        [0, 1, 2, 3].map((each) => {
          const call = createContext({ conversation: `session ${session + each}` });
          const params = { name: 'echo', arguments: { text: 'mine' } };
          return outcome(own?.request('tools/call', params, call));
        }),
      );
      for (const answer of answers) expect(answer).toMatchObject({ content: [{ text: 'mine' }] });
      most = Math.max(most, (await own?.status())?.scopes ?? 0);
    }
    expect(most).toBeLessThanOrEqual(32);
    await expect.poll(async () => (await own?.status())?.scopes, { timeout: 120_000 }).toBe(0);
    await expect.poll(() => countMarked(mark)).toBeLessThanOrEqual(2);
    await upstreams[Symbol.asyncDispose]();
    await expect.poll(() => countMarked(mark)).toBe(0);
    const left = await countMarked(mark);
    printFigures('L5', { sessions, 'instances at once (max)': most, 'processes left': left });
  }, 600_000);
});

async function buildOwner(): Promise<string> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('../fixtures/owner.mjs', import.meta.url)),
    platform: 'node',
  });
  const dir = scratch();
  await bundle.write({ dir, format: 'esm', entryFileNames: 'owner.mjs' });
  await bundle.close();
  return join(dir, 'owner.mjs');
}

async function startOwner(program: string, home: string, mark: string, count: number): Promise<ChildProcess> {
  const args = [program, home, mark, String(count), FIXTURES];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  expect(line.toString()).toBe(`${Array.from({ length: count }, () => 'online').join(' ')}\n`);
  return child;
}

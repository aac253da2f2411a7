import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openHandleSwitch } from '../../test/support/file-handles.ts';
import { systemClock } from '../lib/clock.ts';
import { MARK_VARIABLE } from './connectors/stdio/marks.ts';
import { readProcess } from './connectors/stdio/processes.ts';
import { createProcessGroups } from './process-groups.ts';

/** Elsewhere nobody tells with which variables a process was started. */
const ON_LINUX = process.platform === 'linux';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const { pid } of children.splice(0)) {
    try {
      process.kill(-(pid ?? 0), 'SIGKILL');
    } catch {
      // Gone already, as most tests want it.
    }
  }
});

/** A group of two that does not mind SIGTERM; resolves when both are there. */
async function startGroup(): Promise<number> {
  const stay = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);";
  const code = `${stay} require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(
    `${stay} console.log('up')`,
  )}], { stdio: 'inherit' });`;
  const child = spawn(process.execPath, ['-e', code], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  await once(child.stdout, 'data');
  return child.pid ?? 0;
}

/** A program, and a process it started outside its group; both bear the mark. */
async function startStray(mark: string): Promise<{ readonly leader: number; readonly stray: number }> {
  const stay = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log(process.pid)";
  const code = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(stay)}], {
    stdio: 'inherit', detached: true }).unref(); process.stdin.resume()`;
  const child = spawn(process.execPath, ['-e', code], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, [MARK_VARIABLE]: mark },
  });
  const [said] = await once(child.stdout, 'data');
  const stray = Number(said);
  // It leads a group of its own, so that it is ended after the test as the others are.
  children.push(child, { pid: stray } as ChildProcess);
  return { leader: child.pid ?? 0, stray };
}

function setUp() {
  const directory = join(mkdtempSync(join(tmpdir(), 'thimble-')), 'groups');
  const faults: unknown[] = [];
  const groups = createProcessGroups({
    directory,
    clock: systemClock,
    onFault: (error) => faults.push(error),
  });
  const notes = () => {
    try {
      return readdirSync(directory).filter((name) => name.endsWith('.json'));
    } catch {
      return [];
    }
  };
  /** Changes what the only note says. */
  const edit = (change: object) => {
    const path = join(directory, notes()[0] ?? '');
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...change }));
  };
  return { groups, notes, edit, faults, directory };
}

/** The same with a group noted whose program started something elsewhere. */
async function setUpStray() {
  const parts = setUp();
  const mark = randomUUID();
  const { leader, stray } = await startStray(mark);
  parts.groups.started(leader, mark);
  await expect.poll(parts.notes).toHaveLength(1);
  return { ...parts, mark, leader, stray };
}

const isAlive = async (pid: number) => (await readProcess(pid)) !== undefined;
const DEAD_OWNER = { ownerStart: '1' };

describe('noted process groups', () => {
  it('are noted when they start and forgotten when they end', async () => {
    const { groups, notes, faults } = setUp();
    const leader = await startGroup();
    groups.started(leader);
    await expect.poll(notes).toHaveLength(1);
    groups.ended(leader);
    await expect.poll(notes).toHaveLength(0);
    expect(faults).toEqual([]);
  });

  it('of a live owner are left alone', async () => {
    const { groups, notes } = setUp();
    const leader = await startGroup();
    groups.started(leader);
    await expect.poll(notes).toHaveLength(1);
    expect(await groups.sweep()).toEqual([]);
    expect(await isAlive(leader)).toBe(true);
    expect(notes()).toHaveLength(1);
  });

  it('of a dead owner are ended whole, also when they ignore SIGTERM', async () => {
    const { groups, notes, edit } = setUp();
    const leader = await startGroup();
    groups.started(leader);
    await expect.poll(notes).toHaveLength(1);
    edit(DEAD_OWNER);
    expect(await groups.sweep()).toEqual([leader]);
    await expect.poll(() => isAlive(leader)).toBe(false);
    expect(notes()).toEqual([]);
  });

  it('of a dead owner are ended also when only grandchildren are left of them', async () => {
    const { groups, notes, edit } = setUp();
    const leader = await startGroup();
    groups.started(leader);
    await expect.poll(notes).toHaveLength(1);
    edit(DEAD_OWNER);
    process.kill(leader, 'SIGKILL');
    await expect.poll(() => isAlive(leader)).toBe(false);
    expect(await groups.sweep()).toEqual([leader]);
  });

  it.runIf(ON_LINUX)(
    'of a dead owner are ended with what their programs started elsewhere, also when only that is left',
    async () => {
      const { groups, notes, edit, leader, stray } = await setUpStray();
      process.kill(leader, 'SIGKILL');
      await expect.poll(() => isAlive(leader)).toBe(false);
      expect(await groups.sweep()).toEqual([]);
      expect(await isAlive(stray)).toBe(true);
      edit(DEAD_OWNER);
      expect(await groups.sweep()).toEqual([leader]);
      expect(await isAlive(stray)).toBe(false);
      expect(notes()).toEqual([]);
    },
  );

  it.runIf(ON_LINUX)(
    'of a dead owner leave alone what their programs started and somebody else has taken in',
    async () => {
      const { groups, edit, leader, stray } = await setUpStray();
      edit({ ...DEAD_OWNER, cgroup: '0::/elsewhere\n' });
      expect(await groups.sweep()).toEqual([leader]);
      expect(await isAlive(stray)).toBe(true);
    },
  );

  it.runIf(ON_LINUX)(
    'stay noted while files have run out, until somebody can look for what is left of them',
    // A handle of an earlier test may be let go of in the very moment that none should be free.
    { retry: 2 },
    async () => {
      const { groups, notes, edit, faults, mark, leader, stray } = await setUpStray();
      process.kill(leader, 'SIGKILL');
      await expect.poll(() => isAlive(leader)).toBe(false);
      await using handles = await openHandleSwitch();
      await handles.take();
      await groups.endStrays(mark);
      groups.ended(leader);
      const swept = await groups.sweep();
      await handles.giveBack();
      expect(swept).toEqual([]);
      expect(faults).toMatchObject([{ code: 'EMFILE' }, { code: 'EMFILE' }]);
      expect(await isAlive(stray)).toBe(true);
      expect(notes()).toHaveLength(1);
      edit(DEAD_OWNER);
      expect(await groups.sweep()).toEqual([leader]);
      expect(await isAlive(stray)).toBe(false);
    },
  );

  it('are not mistaken for another process that has got the same pid since', async () => {
    const { groups, notes, edit } = setUp();
    const leader = await startGroup();
    groups.started(leader);
    await expect.poll(notes).toHaveLength(1);
    edit({ ...DEAD_OWNER, start: '2' });
    expect(await groups.sweep()).toEqual([]);
    expect(await isAlive(leader)).toBe(true);
    expect(notes()).toEqual([]);
  });

  it('of another boot are only forgotten, and those of another space of pids not even that', async () => {
    for (const [change, kept] of [
      [{ ...DEAD_OWNER, boot: 'another' }, 0],
      [{ ...DEAD_OWNER, space: 'pid:[1]' }, 1],
    ] as const) {
      const { groups, notes, edit } = setUp();
      const leader = await startGroup();
      groups.started(leader);
      await expect.poll(notes).toHaveLength(1);
      edit(change);
      expect(await groups.sweep()).toEqual([]);
      expect(await isAlive(leader)).toBe(true);
      expect(notes()).toHaveLength(kept);
    }
  });

  it('are forgotten when their note cannot be read', async () => {
    const { groups, notes, directory } = setUp();
    const leader = await startGroup();
    groups.started(leader);
    await expect.poll(notes).toHaveLength(1);
    writeFileSync(join(directory, notes()[0] ?? ''), '{"leader":');
    expect(await groups.sweep()).toEqual([]);
    expect(notes()).toEqual([]);
    expect(await isAlive(leader)).toBe(true);
  });
});

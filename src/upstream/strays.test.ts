import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { createFastClock } from '../../test/support/fake-clock.ts';
import { openHandleSwitch } from '../../test/support/file-handles.ts';
import { callText, createTestUpstreams, toConfig } from '../../test/support/upstream-parts.ts';
import { MARK_VARIABLE, type MarkedProcess, readCgroup, readMarked } from './connectors/stdio/marks.ts';
import { readProcess } from './connectors/stdio/processes.ts';
import { createStrays } from './strays.ts';

const clock = createFastClock(20);
/** A handle of an earlier test may be let go of in the very moment that none should be free. */
const AGAIN = { retry: 2 };
const isAlive = async (pid: number) => (await readProcess(pid)) !== undefined;
const left: number[] = [];
afterEach(() => {
  for (const pid of left.splice(0)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone already, as most tests want it.
    }
  }
});

/** A server with a grandchild that ignores SIGTERM, started as its flags say. */
async function startServer(flags: readonly string[], options: object = {}) {
  const { upstreams } = createTestUpstreams({ clock });
  const config = toConfig('leaves', 'leaves-children.mjs', flags, {
    startTimeoutMs: 600_000,
    timeoutMs: 600_000,
  });
  await upstreams.apply([{ ...config, options: { ...config.options, ...options } }]);
  const [server] = upstreams.all;
  const grandchild = Number(await callText(server, 'grandchild'));
  left.push(grandchild);
  expect(await isAlive(grandchild)).toBe(true);
  return { upstreams, server, grandchild };
}

// Elsewhere no system tells which variables a process was started with.
describe.runIf(process.platform === 'linux')('what a program starts outside its group', () => {
  it.each(['--detached', '--daemon'])('is gone when the program was stopped (%s)', async (how) => {
    const { upstreams, grandchild } = await startServer([how]);
    await upstreams[Symbol.asyncDispose]();
    expect(await isAlive(grandchild)).toBe(false);
  });

  it('is gone before the program is started again', async () => {
    const { upstreams, server, grandchild } = await startServer(['--daemon']);
    await server?.restart('a person asked');
    expect(await isAlive(grandchild)).toBe(false);
    const next = Number(await callText(server, 'grandchild'));
    expect(await isAlive(next)).toBe(true);
    await upstreams[Symbol.asyncDispose]();
    expect(await isAlive(next)).toBe(false);
  });

  it('is gone soon after the program has ended by itself', async () => {
    const { upstreams, server, grandchild } = await startServer(['--detached']);
    process.kill(server?.notes().pid ?? 0, 'SIGKILL');
    await expect.poll(() => isAlive(grandchild)).toBe(false);
    await upstreams[Symbol.asyncDispose]();
  });

  it('is left alone where the configuration says so', async () => {
    const { upstreams, grandchild } = await startServer(['--detached'], { keepDetached: true });
    await upstreams[Symbol.asyncDispose]();
    expect(await isAlive(grandchild)).toBe(true);
  });
});

describe.runIf(process.platform === 'linux')('what bears a mark', () => {
  async function start(mark: string): Promise<ChildProcess & { readonly pid: number }> {
    const child = spawn(process.execPath, ['-e', "setInterval(() => {}, 1000); console.log('up')"], {
      env: { ...process.env, [MARK_VARIABLE]: mark },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(child.stdout, 'data');
    left.push(child.pid ?? 0);
    return child as ChildProcess & { readonly pid: number };
  }

  it('is ended, and nothing that bears another', async () => {
    const [mine, other] = await Promise.all(
      [randomUUID(), randomUUID()].map(async (mark) => ({ mark, child: await start(mark) })),
    );
    if (!mine || !other) throw new Error('nothing was started');
    const ended = once(mine.child, 'exit');
    expect(await createStrays(clock).end(mine.mark)).toBe(true);
    expect(await ended).toEqual([null, 'SIGTERM']);
    expect(await createStrays(clock).end(mine.mark)).toBe(false);
    expect(await isAlive(other.child.pid)).toBe(true);
  });

  it('is killed with this process, for as long as its program was not seen to end', async () => {
    const before = process.listeners('exit');
    const strays = createStrays(clock);
    const [kept, ended] = [randomUUID(), randomUUID()];
    for (const mark of [kept, ended]) strays.begin(mark);
    const [exiting] = process.listeners('exit').filter((listener) => !before.includes(listener));
    const child = await start(kept);
    await strays.end(ended);
    const gone = once(child, 'exit');
    exiting?.(0);
    expect(await gone).toEqual([null, 'SIGKILL']);
    await strays.end(kept);
    expect(process.listeners('exit')).toEqual(before);
  });

  it('is killed with this process also where it could not be looked for when its program ended', async () => {
    const before = process.listeners('exit');
    const outOfFiles = () => Promise.reject(Object.assign(new Error('no file is free'), { code: 'EMFILE' }));
    let look: () => Promise<readonly MarkedProcess[]> = outOfFiles;
    const strays = createStrays(clock, () => look());
    const mark = randomUUID();
    strays.begin(mark);
    const child = await start(mark);
    await expect(strays.end(mark)).rejects.toMatchObject({ code: 'EMFILE' });
    const [exiting] = process.listeners('exit').filter((listener) => !before.includes(listener));
    const gone = once(child, 'exit');
    exiting?.(0);
    expect(await gone).toEqual([null, 'SIGKILL']);
    look = readMarked;
    await strays.end(mark);
    expect(process.listeners('exit')).toEqual(before);
  });

  it.each([
    ['which variables it was started with', readMarked],
    ['in which control group we are', () => readCgroup('self')],
  ])('is not taken for gone when no file is free to read %s', AGAIN, async (_, read) => {
    await using handles = await openHandleSwitch();
    await handles.take();
    const seen = await read().catch((error: NodeJS.ErrnoException) => error.code);
    await handles.giveBack();
    expect(seen).toBe('EMFILE');
  });

  it('is left alone in another control group, such as that of a desktop or a container', async () => {
    const mark = randomUUID();
    const { pid } = await start(mark);
    expect(await createStrays(clock).end(mark, '0::/elsewhere\n')).toBe(false);
    expect(await isAlive(pid)).toBe(true);
  });

  it.each([
    ['its start', { start: '1' }],
    ['its mark', { mark: 'another' }],
  ])('is not ended for one that had its pid before, by %s', async (_, change) => {
    const mark = randomUUID();
    const { pid } = await start(mark);
    const seen = async () =>
      (await readMarked())
        .filter((one) => one.pid === pid)
        .map((one): MarkedProcess => ({ ...one, ...change }));
    const asked = (await seen())[0]?.mark ?? '';
    await createStrays(clock, seen).end(asked);
    expect(await isAlive(pid)).toBe(true);
  });

  it('is looked for once for all who ask while another looks', async () => {
    let looks = 0;
    const strays = createStrays(clock, async () => {
      looks += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return [];
    });
    await Promise.all(Array.from({ length: 50 }, (_, at) => strays.end(`mark ${at}`, '')));
    expect(looks).toBeLessThanOrEqual(2);
  });
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFakeUpstreams } from '../../../test/support/fake-upstreams.ts';
import type { Gateway } from '../../gateway.ts';
import { openStore } from '../../store/open.ts';
import { askProcesses } from './ask.ts';
import { openDoor } from './door.ts';
import { openRunning } from './running.ts';
import { listen, reach, readLine, say } from './socket.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'thimble-door-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** As much of a gateway as a door needs to answer questions. */
async function openPlace() {
  const store = await openStore(join(home, 'thimble.db'));
  const upstreams = createFakeUpstreams({ files: { tools: ['x'] } });
  const refresh = () => Promise.reject(new Error('the kept values cannot be read'));
  const gateway = { store, upstreams, refresh } as unknown as Gateway;
  const listening = await listen(home);
  const door = await openDoor({ gateway, home, command: 'serve', listening });
  return { store, door, listening };
}

describe('the door of a process', () => {
  it('says why a restart could not be done', async () => {
    const { store, door } = await openPlace();
    expect(await askProcesses(store, { ask: 'restart', upstream: 'files' })).toMatchObject([
      { servers: [], problem: expect.stringMatching(/^could not do it: ./) },
    ]);
    expect(await askProcesses(store, { ask: 'status' })).toMatchObject([{ servers: [{ id: 'files' }] }]);
    await door[Symbol.asyncDispose]();
    await store[Symbol.asyncDispose]();
  });

  it('can be closed twice, and takes in nobody who speaks up afterwards', async () => {
    const { store, door, listening } = await openPlace();
    const socket = await reach(listening.address);
    if (typeof socket === 'string') throw new Error('the door is not open');
    // Whoever was answered has been seen, and so has whoever came before.
    await askProcesses(store, { ask: 'status' });
    await Promise.all([door[Symbol.asyncDispose](), door[Symbol.asyncDispose]()]);
    const answered = readLine(socket, 5_000, 1_000);
    say(socket, { ask: 'status' });
    expect(await answered).toBeUndefined();
    expect(await openRunning(store).list()).toEqual([]);
    socket.destroy();
    await store[Symbol.asyncDispose]();
  });
});

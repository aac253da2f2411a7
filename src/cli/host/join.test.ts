import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as toPath } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { reach } from '../door/socket.ts';
import { join } from './join.ts';
import type { MeetingPlace } from './meeting-place.ts';

const WISH = { path: '/mcp', profile: undefined };

/** A host that listens, does nothing but think for a while, and then answers everybody who waits. */
const BUSY_HOST = `
  const server = require('node:net').createServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.write('{}\\n'));
  });
  server.listen({ path: process.argv[1], backlog: 1 }, () => {
    require('node:fs').writeSync(1, 'listening');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
  });
`;

async function openBusyHost(): Promise<{ home: string; address: string }> {
  const home = await mkdtemp(toPath(tmpdir(), 'thimble-join-'));
  const address = toPath(home, 'busy.sock');
  const host = spawn(process.execPath, ['-e', BUSY_HOST, address], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    host.kill('SIGKILL');
    await rm(home, { recursive: true, force: true });
  });
  await once(host.stdout, 'data');
  return { home, address };
}

/** Connects until no more connections can wait there. */
async function fill(address: string): Promise<void> {
  for (;;) {
    const socket = await reach(address);
    if (typeof socket === 'string') return expect(socket).toBe('silent');
    socket.on('error', () => {});
    onTestFinished(() => void socket.destroy());
  }
}

describe('joining others', () => {
  // Elsewhere the system does not tell a host that cannot take more from one that is gone.
  it.runIf(process.platform === 'linux')('waits for a host that is too busy to be reached', async () => {
    const { home, address } = await openBusyHost();
    const claimed: string[] = [];
    const place: MeetingPlace = {
      find: async () => address,
      claim: async (_, ours) => claimed.push(ours) > 0,
    };
    await fill(address);
    const joined = await join(place, home, WISH);
    if (joined.as === 'guest') joined.socket.destroy();
    if (joined.as === 'host') await joined.listening.close();
    expect(joined.as).toBe('guest');
    expect(claimed).toEqual([]);
  });

  // A pipe of Windows lies in no folder.
  it.skipIf(process.platform === 'win32')('leaves nothing of a host whose place it took', async () => {
    const home = await mkdtemp(toPath(tmpdir(), 'thimble-join-'));
    const folder = await mkdtemp(toPath(tmpdir(), 'thimble-gone-'));
    onTestFinished(async () => {
      for (const made of [home, folder]) await rm(made, { recursive: true, force: true });
    });
    const address = toPath(folder, 's');
    await writeFile(address, '');
    const joined = await join({ find: async () => address, claim: async () => true }, home, WISH);
    if (joined.as !== 'host') throw new Error(`joined as ${joined.as}`);
    await joined.listening.close();
    await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('takes the place of a host that is gone', async () => {
    const home = await mkdtemp(toPath(tmpdir(), 'thimble-join-'));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    let address = toPath(home, 'gone.sock');
    const place: MeetingPlace = {
      find: async () => address,
      claim: async (_, ours) => {
        address = ours;
        return true;
      },
    };
    const joined = await join(place, home, WISH);
    if (joined.as !== 'host') throw new Error(`joined as ${joined.as}`);
    expect(joined.listening.address).toBe(address);
    await joined.listening.close();
  });
});

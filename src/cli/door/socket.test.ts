import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Listening, listen, reach, removeSocket } from './socket.ts';

const SOMEBODY_ELSE = 65_534;

/** A socket of a home whose path is so long that it lies outside. */
async function openOutside(): Promise<{ listening: Listening; folder: string }> {
  const short = await mkdtemp(join(tmpdir(), 'thimble-socket-'));
  const listening = await listen(join(short, 'long'.repeat(25)));
  const folder = dirname(listening.address);
  onTestFinished(async () => {
    await listening.close();
    for (const made of [short, folder]) await rm(made, { recursive: true, force: true });
  });
  return { listening, folder };
}

async function isReached(address: string): Promise<boolean | string> {
  const socket = await reach(address);
  if (typeof socket === 'string') return socket;
  socket.destroy();
  return true;
}

// A pipe of Windows is no file, and lies in no folder.
describe.skipIf(process.platform === 'win32')('a socket that has to lie outside the home', () => {
  it('is in a folder that is only ours', async () => {
    const { listening, folder } = await openOutside();
    expect(dirname(folder)).toBe(tmpdir());
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect(await isReached(listening.address)).toBe(true);
  });

  it('is taken for gone where others could get at it', async () => {
    const { listening, folder } = await openOutside();
    await chmod(folder, 0o755);
    expect(await isReached(listening.address)).toBe('gone');
  });

  it('is taken for gone where its folder is a link to another', async () => {
    const { listening, folder } = await openOutside();
    await rename(folder, `${folder}-moved`);
    onTestFinished(() => rm(`${folder}-moved`, { recursive: true, force: true }));
    await symlink(`${folder}-moved`, folder);
    expect(await isReached(listening.address)).toBe('gone');
  });

  // Only root can give a folder away.
  it.runIf(process.getuid?.() === 0)('is taken for gone where its folder is somebody else’s', async () => {
    const { listening, folder } = await openOutside();
    await chown(folder, SOMEBODY_ELSE, SOMEBODY_ELSE);
    expect(await isReached(listening.address)).toBe('gone');
  });

  it('goes with its folder, and nothing goes that is not ours', async () => {
    const { listening, folder } = await openOutside();
    await listening.close();
    await expect(stat(folder)).rejects.toMatchObject({ code: 'ENOENT' });
    await mkdir(folder);
    await chmod(folder, 0o755);
    await writeFile(listening.address, 'not ours');
    await removeSocket(listening.address);
    expect(await readdir(folder)).toEqual(['s']);
  });
});

// Root may connect to everything.
it.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
  'a socket that we may not open is told from one that is busy',
  async () => {
    const home = await mkdtemp(join(tmpdir(), 'thimble-socket-'));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    const listening = await listen(home);
    await chmod(listening.address, 0);
    expect(await isReached(listening.address)).toBe('barred');
    await listening.close();
  },
);

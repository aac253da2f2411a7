import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFiles } from './files.ts';

const BYTES = Buffer.from('bytes');
const SHA256 = createHash('sha256').update(BYTES).digest('hex');

/** Files that tell which names were in a folder when it was written to the disk. */
async function openFiles() {
  const home = await mkdtemp(join(tmpdir(), 'thimble-files-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const synced = new Map<string, readonly string[]>();
  const files = createFiles(home, async (folder) => {
    synced.set(basename(folder), await readdir(folder));
  });
  return { home, files, synced };
}

describe('the files of sharing', () => {
  it('outlive a power cut once they have arrived: their name is on the disk, and those of the folders', async () => {
    const { home, files, synced } = await openFiles();
    const half = await files.resume('half');
    await half.write(BYTES);
    await half.close();
    expect(await files.finish('half', 'whole', SHA256)).toBe(true);
    expect(synced.get('received')).toEqual(['whole']);
    expect(synced.get('sharing')).toContain('received');
    expect(synced.get(basename(home))).toEqual(['sharing']);
    expect(existsSync(await files.path('arriving', 'half'))).toBe(false);
  });

  it('outlive a power cut once they wait to be sent', async () => {
    const { files, synced } = await openFiles();
    const open = async function* () {
      yield BYTES;
    };
    await files.take('copy', { name: 'a', size: BYTES.length, sha256: SHA256, open });
    expect(synced.get('outgoing')).toEqual(['copy']);
  });

  it('are not taken for whole when they are not what was promised', async () => {
    const { files, synced } = await openFiles();
    const half = await files.resume('half');
    await half.write(Buffer.from('other'));
    await half.close();
    expect(await files.finish('half', 'whole', SHA256)).toBe(false);
    expect(synced.has('received')).toBe(false);
  });
});

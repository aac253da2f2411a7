import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { syncFolder } from './sync-folder.ts';

describe('syncing a folder', () => {
  // Windows opens no folders, and needs no sync of them.
  it.skipIf(process.platform === 'win32')(
    'succeeds for one that is there, and fails for one that is not',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'thimble-sync-'));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      await expect(syncFolder(folder)).resolves.toBeUndefined();
      await expect(syncFolder(join(folder, 'absent'))).rejects.toMatchObject({ code: 'ENOENT' });
    },
  );
});

/** Copies of files as they were before an operation changed them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { House } from '../house.ts';

/** Keeps a text under the home, readable by its owner only, and says where. */
export async function saveBackup(
  house: Pick<House, 'home' | 'now'>,
  name: string,
  text: string,
): Promise<string> {
  const folder = join(house.home, 'backups');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const time = house.now().toISOString().replaceAll(/[:.]/g, '-');
  for (let number = 1; ; number++) {
    const path = join(
      folder,
      `${time}${number === 1 ? '' : `-${number}`}-${name.replaceAll(/[^\w.-]+/g, '_')}`,
    );
    try {
      await writeFile(path, text, { mode: 0o600, flag: 'wx' });
      return path;
    } catch (error) {
      // Two within one moment: neither may take the place of the other.
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
}

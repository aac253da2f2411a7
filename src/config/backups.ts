/** Copies of files as they were before they were changed: the last few of each, readable by their owner only. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../lib/make-folder.ts';

/** Where copies are kept, and when. */
export interface BackupPlace {
  /** Thimble's data directory. */
  readonly home: string;
  readonly now: () => Date;
}

const KEPT = 100;
const TIME = /^\d{4}-\d\d-\d\dT[\d-]+Z(-\d+)?/;

/** Keeps a text and says where; at once, so that a file can be kept while nobody else may write it. */
export function saveBackup({ home, now }: BackupPlace, name: string, text: string): string {
  const folder = join(home, 'backups');
  const ending = `-${name.replaceAll(/[^\w.-]+/g, '_')}`;
  makeFolder(folder, 0o700);
  const time = now().toISOString().replaceAll(/[:.]/g, '-');
  for (let number = 1; ; number++) {
    const path = join(folder, `${time}${number === 1 ? '' : `-${number}`}${ending}`);
    try {
      writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
      prune(folder, ending);
      return path;
    } catch (error) {
      // Two within one moment: neither may take the place of the other.
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
  }
}

/** Their names begin with their time, so the first are the oldest. */
function prune(folder: string, ending: string): void {
  const copies = readdirSync(folder).filter((name) => name.replace(TIME, '') === ending);
  for (const name of copies.sort().slice(0, -KEPT)) rmSync(join(folder, name), { force: true });
}

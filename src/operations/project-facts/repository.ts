/** Whether a folder is under git. */
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** True at the root of a repository and below it: a repository in a repository is nobody's wish. */
export async function isRepository(folder: string): Promise<boolean> {
  const found = await stat(join(folder, '.git')).catch(() => undefined);
  const parent = dirname(folder);
  return found !== undefined || (parent !== folder && isRepository(parent));
}

/** Takes turns with other processes: a value must not be forgotten while somebody writes down that they refer to it. */
import { join } from 'node:path';
import { takeLock } from '../../lib/edit-file-lock.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import type { House } from '../house.ts';

/** Does something with kept values and the file that refers to them while nobody else of this home does. */
export async function inTurn<Result>(
  { home }: Pick<House, 'home'>,
  act: () => Promise<Result>,
): Promise<Result> {
  makeFolder(home, 0o700);
  const giveBack = await takeLock(join(home, 'secrets.lock'));
  try {
    return await act();
  } finally {
    await giveBack();
  }
}

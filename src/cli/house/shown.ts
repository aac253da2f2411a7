/** How texts of servers are put before a person at a terminal. */
import { toVisibleLine } from '../../lib/visible.ts';
import type { House } from '../../operations/house.ts';
import { readHide } from '../../operations/secrets/kept-values.ts';

/** Makes what shows a line: a program may write down what it was given, and marks that move the cursor; neither is passed on. */
export async function createShown(house: House): Promise<(line: string) => string> {
  const hide = await readHide(house);
  return (line) => toVisibleLine(hide(line));
}

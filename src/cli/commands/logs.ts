/** `thimble logs`: what a server last wrote to its stderr, and on request what it writes from now on. */
import { setTimeout as delay } from 'node:timers/promises';
import { toVisibleLine } from '../../lib/visible.ts';
import type { House } from '../../operations/house.ts';
import { readHide } from '../../operations/secrets/kept-values.ts';
import { type Command, textOption } from '../command.ts';
import { askAbout, findServer } from '../door/one-server.ts';
import { openHouse } from '../house/open-house.ts';
import { HOME_OPTION } from './ps.ts';

const POLL_MS = 500;

/** Prints lines of stderr. */
export const logs: Command = {
  name: 'logs',
  words: ['<upstream>'],
  summary: 'the last lines a running server wrote to its stderr',
  options: [
    HOME_OPTION,
    { flags: '--follow', summary: 'go on with what it writes, until Ctrl-C' },
    { flags: '--json', summary: 'each line as a JSON text' },
  ],
  examples: ['thimble logs github', 'thimble logs github --follow'],
  async run(input, ports) {
    const [id = ''] = input.args;
    const place = { home: textOption(input, 'home'), env: ports.env };
    const first = await findServer(id, place);
    await using house = openHouse(input, ports);
    const toShown = await createShown(house);
    const show = (line: string) => {
      const shown = toShown(line);
      ports.print(input.options['json'] === true ? JSON.stringify(shown) : shown);
    };
    for (const line of first.stderr) show(line);
    if (first.stderr.length === 0 && input.options['json'] !== true)
      ports.print(toShown(`${id} wrote nothing to stderr; it ${first.says || `is ${first.state}`}`));
    if (input.options['follow'] !== true) return 0;
    let seen = first.stderr;
    let stopped = false;
    void ports.stopped.then(() => {
      stopped = true;
    });
    while (!stopped) {
      await Promise.race([delay(POLL_MS), ports.stopped]);
      const [now] = await askAbout(id, 'status', place);
      if (!now) return 0;
      for (const line of toNew(seen, now.stderr)) show(line);
      seen = now.stderr;
    }
    return 0;
  },
};

/** A program may write down what it was given, and marks that move the cursor; neither is passed on. */
export async function createShown(house: House): Promise<(line: string) => string> {
  const hide = await readHide(house);
  return (line) => toVisibleLine(hide(line));
}

/** What came after the last line that was there before. */
export function toNew(before: readonly string[], now: readonly string[]): readonly string[] {
  for (let kept = Math.min(before.length, now.length); kept > 0; kept--) {
    const tail = before.slice(-kept);
    if (tail.every((line, at) => line === now[at])) return now.slice(kept);
  }
  return now;
}

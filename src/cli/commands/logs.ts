/** `thimble logs`: `server logs` of one server, and on request what it writes from now on. */
import { setTimeout as delay } from 'node:timers/promises';
import type { House, RunningServer } from '../../operations/house.ts';
import { findOperation } from '../../operations/nouns/registry.ts';
import { findNamed } from '../../operations/servers/find-named.ts';
import { type Command, type CommandInput, type CommandPorts, printAnswer } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { openHouse, PLACE_OPTIONS } from '../house/open-house.ts';
import { createShown } from '../house/shown.ts';

const POLL_MS = 500;
/** As many as are kept. */
const LIMIT = 200;

/** Prints lines of stderr. */
export const logs: Command = {
  name: 'logs',
  words: ['<server>'],
  summary: 'the last lines a running server wrote to its stderr',
  options: [
    { flags: '--follow', summary: 'go on with what it writes, until Ctrl-C' },
    { flags: '--json', summary: 'as JSON; what follows, each line as a JSON text' },
    ...PLACE_OPTIONS,
  ],
  examples: ['thimble logs github', 'thimble logs github --follow'],
  async run(input, ports) {
    const [word = ''] = input.args;
    await using house = await openHouse(input, ports);
    const { id } = await findNamed(word, house);
    const seen = await house.running.servers(id);
    const operation = await findOperation('server', 'logs');
    const { output, text } = await operation.prepare({ name: word, limit: LIMIT }).run(house);
    printAnswer(input, ports, output, () => text);
    if (input.options['follow'] === true) await follow(id, seen, house, input, ports);
    return EXIT_CODES.ok.code;
  },
};

/** Prints what is written until the person stops it, or nothing runs the server any more. */
async function follow(
  id: string,
  first: readonly RunningServer[],
  house: House,
  { options }: CommandInput,
  { print, stopped }: CommandPorts,
): Promise<void> {
  const toShown = await createShown(house);
  let before = first;
  while (before.length > 0) {
    const isStopped = await Promise.race([delay(POLL_MS, false), stopped.then(() => true)]);
    if (isStopped) return;
    const now = await house.running.servers(id);
    for (const line of toNewOf(before, now).map(toShown))
      print(options['json'] === true ? JSON.stringify(line) : line);
    before = now;
  }
}

/** What each process has written since; where one came or went, what the others had is not new. */
function toNewOf(before: readonly RunningServer[], now: readonly RunningServer[]): readonly string[] {
  if (before.length !== now.length) return [];
  return now.flatMap(({ stderr }, at) => toNew(before[at]?.stderr ?? [], stderr));
}

/** What came after the last line that was there before. */
export function toNew(before: readonly string[], now: readonly string[]): readonly string[] {
  for (let kept = Math.min(before.length, now.length); kept > 0; kept--) {
    const tail = before.slice(-kept);
    if (tail.every((line, at) => line === now[at])) return now.slice(kept);
  }
  return now;
}

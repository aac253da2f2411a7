/** `thimble restart`: `system restart` of one server, for a person who has just asked for it in so many words. */
import { findOperation } from '../../operations/nouns/registry.ts';
import { performForPerson } from '../../operations/perform.ts';
import { type Command, JSON_OPTION, printAnswer } from '../command.ts';
import { toEndCode } from '../exit-codes.ts';
import { openHouse, PLACE_OPTIONS } from '../house/open-house.ts';
import { stayAwake } from '../operations/stay-awake.ts';

/** Restarts one server in every process that has it. */
export const restart: Command = {
  name: 'restart',
  words: ['<server>'],
  summary: 'end a running server and start it anew',
  options: [JSON_OPTION, ...PLACE_OPTIONS],
  examples: ['thimble restart github'],
  async run(input, ports) {
    using _awake = stayAwake();
    await using house = await openHouse(input, ports);
    const prepared = (await findOperation('system', 'restart')).prepare({ name: input.args[0] ?? '' });
    const { output, text, succeeded } = await performForPerson(prepared, house, async () => 'yes');
    printAnswer(input, ports, output, () => text);
    return toEndCode(succeeded);
  },
};

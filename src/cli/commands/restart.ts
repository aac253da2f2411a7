/** `thimble restart`: ends a running server and starts it anew. */
import { type Command, JSON_OPTION, printAnswer, textOption } from '../command.ts';
import { askAbout, findServer } from '../door/one-server.ts';
import { tellWhenSlow } from '../output/progress.ts';
import { HOME_OPTION } from './ps.ts';

/** Restarts one server in every process that has it. */
export const restart: Command = {
  name: 'restart',
  words: ['<upstream>'],
  summary: 'end a running server and start it anew',
  options: [HOME_OPTION, JSON_OPTION],
  examples: ['thimble restart github'],
  async run(input, ports) {
    const [id = ''] = input.args;
    const place = { home: textOption(input, 'home'), env: ports.env };
    await findServer(id, place);
    const servers = await tellWhenSlow(askAbout(id, 'restart', place), () => `waiting for ${id} to start`);
    printAnswer(input, ports, servers, () =>
      servers
        .map(
          ({ state, says, pid }) =>
            `${id} is ${state}${pid === undefined ? '' : `, process ${pid}`}${says === '' ? '' : `; it ${says}`}`,
        )
        .join('\n'),
    );
    return servers.every(({ state }) => state === 'online') ? 0 : 1;
  },
};

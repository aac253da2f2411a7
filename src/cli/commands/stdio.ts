/** `thimble stdio`: the gateway for one client that starts it, over stdin and stdout. */
import type { Command } from '../command.ts';
import { textOption } from '../command.ts';
import { serveClient } from '../serve-client.ts';
import { GATEWAY_OPTIONS } from '../shared-options.ts';

/** Serves the client that started this process until it closes its end. */
export const stdio: Command = {
  name: 'stdio',
  words: [],
  summary: 'serve all configured servers as one, to the client that starts this',
  options: [
    ...GATEWAY_OPTIONS,
    { flags: '--mode <mode>', summary: 'exposure mode (the configured one)' },
    { flags: '--profile <tag>', summary: 'only servers that carry this tag' },
  ],
  examples: [
    'thimble stdio',
    'thimble stdio --profile work',
    'thimble stdio --mode direct --config .mcp.json',
  ],
  run: (input, ports) =>
    serveClient(input, ports, (gateway) => {
      const mode = textOption(input, 'mode');
      return gateway.sessions.endpointOf(
        mode === undefined ? '/mcp' : `/mcp/${mode}`,
        textOption(input, 'profile'),
      );
    }),
};

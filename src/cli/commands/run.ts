/** `thimble run`: one configured server for one client, supervised, with its names untouched. */
import type { Command } from '../command.ts';
import { GATEWAY_OPTIONS } from '../gateway/configured-gateway.ts';
import { ALONE, serveClient } from '../gateway/serve-client.ts';

/** Serves one upstream to the client that started this process. */
export const run: Command = {
  name: 'run',
  words: ['<server>'],
  summary: 'serve one configured server alone, to the client that starts this',
  options: [...GATEWAY_OPTIONS, ALONE],
  examples: ['thimble run github', 'thimble run files --config .mcp.json'],
  run: (input, ports) =>
    serveClient('run', input, ports, () => ({
      path: `/s/${encodeURIComponent(input.args[0] ?? '')}/mcp`,
      profile: undefined,
    })),
};

/** `thimble stdio`: the gateway for one client that starts it, over stdin and stdout. */
import type { Config } from '../../config/config.ts';
import { type Command, textOption } from '../command.ts';
import { GATEWAY_OPTIONS } from '../gateway/configured-gateway.ts';
import { ALONE, serveClient } from '../gateway/serve-client.ts';

/** Serves the client that started this process until it closes its end. */
export const stdio: Command = {
  name: 'stdio',
  words: [],
  summary: 'serve all configured servers as one, to the client that starts this',
  options: [
    ...GATEWAY_OPTIONS,
    { flags: '--mode <mode>', summary: 'exposure mode (the configured one)' },
    { flags: '--profile <tag>', summary: 'only servers that carry this tag' },
    ALONE,
  ],
  examples: [
    'thimble stdio',
    'thimble stdio --profile work',
    'thimble stdio --mode direct --config .mcp.json',
  ],
  run: (input, ports) =>
    serveClient('stdio', input, ports, async (config) => {
      const mode = textOption(input, 'mode');
      const profile = textOption(input, 'profile');
      if (profile !== undefined) await checkProfile(profile, config);
      return { path: mode === undefined ? '/mcp' : `/mcp/${encodeURIComponent(mode)}`, profile };
    }),
};

/** A profile of no server that is on would show nothing for ever, and nothing would say why. */
async function checkProfile(profile: string, config: Config): Promise<void> {
  // Loaded only here: management has no part in a start.
  const profiles = await import('../../operations/profiles/profile-tags.ts');
  profiles.checkProfile(config, profile);
}

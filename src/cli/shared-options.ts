/** Options and steps that several commands share: where the data is, which configuration, a gateway that follows it. */
import { dirname, join } from 'node:path';
import type { Config } from '../config/config.ts';
import { findHome } from '../config/home.ts';
import { type ConfigPlaces, loadConfig, readConfig } from '../config/load.ts';
import { createReload } from '../config/reload.ts';
import { watchConfig } from '../config/watch.ts';
import { CONFIG_PARTS, createGateway, type Gateway } from '../gateway.ts';
import { type CommandInput, type CommandOption, type CommandPorts, textOption } from './command.ts';
import { logToStderr } from './output/log.ts';

/** Understood by every command that runs a gateway. */
export const GATEWAY_OPTIONS: readonly CommandOption[] = [
  {
    flags: '--config <file>',
    summary:
      'configuration to use; otherwise thimble.jsonc, thimble.json or .mcp.json here, then in the home',
  },
  { flags: '--home <dir>', summary: 'data directory (THIMBLE_HOME, or ~/.thimble)' },
  { flags: '--verbose', summary: 'say more on stderr' },
];

/** A gateway that follows its configuration file. */
export interface RunningGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  readonly config: Config;
  readonly configPath: string | undefined;
  readonly home: string;
}

/** Opens the gateway the options ask for; edits of its configuration are taken over while it runs. */
export async function openConfiguredGateway(
  input: CommandInput,
  ports: CommandPorts,
): Promise<RunningGateway> {
  const home = findHome({ flag: textOption(input, 'home'), env: ports.env });
  const places: ConfigPlaces = { cwd: ports.cwd, home, explicit: textOption(input, 'config') };
  const { config, path } = await loadConfig(places, CONFIG_PARTS);
  const gateway = await createGateway(config, {
    home,
    env: ports.env,
    onOpen: (feed) => logToStderr(feed, input.options['verbose'] === true),
  });
  const stopWatching = followConfig(gateway, config, path, places);
  return {
    gateway,
    config,
    configPath: path,
    home,
    async [Symbol.asyncDispose]() {
      stopWatching();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

/** Where a first configuration is best put: beside the person's work, unless a home was chosen. */
export function toSuggestedPath(ports: CommandPorts): string {
  return join(ports.cwd, 'thimble.jsonc');
}

function followConfig(
  gateway: Gateway,
  config: Config,
  path: string | undefined,
  places: ConfigPlaces,
): () => void {
  // Without a file yet, the place where the first one is expected is watched.
  const watched = path ?? join(places.cwd, 'thimble.jsonc');
  const reload = createReload(config, {
    read: () => readConfig(watched, CONFIG_PARTS),
    async onConfig(next) {
      await gateway.reload(next);
      gateway.feed.publish({ type: 'config.reloaded', path: watched });
    },
    onRejected: (reason) => gateway.feed.publish({ type: 'config.rejected', path: watched, reason }),
  });
  try {
    return watchConfig(watched, () => void reload());
  } catch (error) {
    gateway.feed.publish({ type: 'fault', where: `watching ${dirname(watched)}`, error });
    return () => {};
  }
}

/** Options and steps that several commands share: where the data is, which configuration, a gateway that follows it. */
import { join, resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { findDoubts } from '../../config/doubts.ts';
import { followConfig } from '../../config/follow.ts';
import { findHome } from '../../config/home.ts';
import { type ConfigPlaces, describePlaces, type LoadedConfig, loadConfig } from '../../config/load.ts';
import { lacksKept, mayUseKept } from '../../config/trust.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import { CONFIG_PARTS, createGateway, type Gateway } from '../../gateway.ts';
import { didYouMean } from '../../lib/nearest.ts';
import { type CommandInput, type CommandOption, type CommandPorts, textOption } from '../command.ts';
import type { HousePlace } from '../house/house.ts';
import { createManageHosting } from '../house/manage.ts';
import { type LogOptions, openLog } from '../output/log.ts';
import { LOG_LEVELS, type LogLevel } from '../output/log-line.ts';

/** Understood by every command that runs a gateway. */
export const GATEWAY_OPTIONS: readonly CommandOption[] = [
  {
    flags: '--config <file>',
    summary:
      'configuration to use; otherwise thimble.jsonc, thimble.json or .mcp.json here, then thimble.jsonc or thimble.json in the data directory',
  },
  { flags: '--home <dir>', summary: 'data directory (THIMBLE_HOME, or ~/.thimble)' },
  { flags: '--device <id>', summary: 'whose own context sections count (THIMBLE_DEVICE_ID)' },
  { flags: '--log-level <level>', summary: 'what is logged: error, warn, info (the default) or debug' },
  { flags: '--verbose', summary: 'the same as --log-level debug' },
  { flags: '--log-format <format>', summary: 'how: text (the default) or json, one object a line' },
  { flags: '--log-file <file>', summary: 'where: appended to this file instead of written to stderr' },
];

/** A gateway that follows its configuration file. */
export interface RunningGateway extends AsyncDisposable {
  readonly gateway: Gateway;
  /** Where it stands, for whoever manages it. */
  readonly place: HousePlace;
  readonly config: Config;
  readonly configPath: string | undefined;
  /** Where a configuration is looked for, in words. */
  readonly looked: string;
  readonly home: string;
  /** Whose own context sections count. */
  readonly device: string | undefined;
}

/** What the options and the files they name say, before anything runs. */
export interface Setting {
  readonly home: string;
  readonly device: string | undefined;
  readonly places: ConfigPlaces;
  readonly loaded: LoadedConfig;
}

/** Reads the setting. */
export async function readSetting(input: CommandInput, ports: CommandPorts): Promise<Setting> {
  const home = findHome({ flag: textOption(input, 'home'), env: ports.env });
  const places: ConfigPlaces = { cwd: ports.cwd, home, explicit: textOption(input, 'config') };
  const device = textOption(input, 'device') ?? (ports.env['THIMBLE_DEVICE_ID'] || undefined);
  return { home, device, places, loaded: await loadConfig(places, CONFIG_PARTS) };
}

/** Opens the gateway the options ask for; edits of its configuration are taken over while it runs. */
export async function openConfiguredGateway(
  input: CommandInput,
  ports: CommandPorts,
): Promise<RunningGateway> {
  const logOptions = toLogOptions(input, ports.cwd);
  const { home, device, places, loaded } = await readSetting(input, ports);
  const { config, path } = loaded;
  const { cwd, env, program } = ports;
  const place: HousePlace = { home, cwd, explicit: places.explicit, env, program };
  const keptValues = mayUseKept(path, places);
  let log: Disposable | undefined;
  const gateway = await createGateway(config, {
    home,
    env: ports.env,
    device,
    keptValues,
    manage: createManageHosting(place, config.namespace),
    onOpen: (feed) => {
      log = openLog(feed, logOptions);
    },
  });
  if (path !== undefined && !keptValues) warnOf(path, config, gateway);
  tellDoubts(config, gateway);
  const stopWatching = follow(gateway, loaded, places);
  return {
    gateway,
    place,
    config,
    configPath: path,
    looked: describePlaces(places),
    home,
    device,
    async [Symbol.asyncDispose]() {
      stopWatching();
      await gateway[Symbol.asyncDispose]();
      log?.[Symbol.dispose]();
    },
  };
}

function warnOf(path: string, config: Config, { feed }: Gateway): void {
  if (lacksKept(config)) feed.publish({ type: 'config.untrusted', path });
}

function tellDoubts(config: Config, { feed }: Gateway): void {
  const doubts = findDoubts(config, CONFIG_PARTS);
  if (doubts.length > 0) feed.publish({ type: 'config.doubtful', doubts });
}

/** Where a first configuration is best put: beside the person's work, unless a home was chosen. */
export function toSuggestedPath(ports: CommandPorts): string {
  return join(ports.cwd, 'thimble.jsonc');
}

const FORMATS: readonly LogOptions['format'][] = ['text', 'json'];

function toLogOptions(input: CommandInput, cwd: string): LogOptions {
  const quiet: LogLevel = input.options['verbose'] === true ? 'debug' : 'info';
  const file = textOption(input, 'logFile');
  return {
    level: toChoice('--log-level', textOption(input, 'logLevel') ?? quiet, LOG_LEVELS),
    format: toChoice('--log-format', textOption(input, 'logFormat') ?? 'text', FORMATS),
    file: file === undefined ? undefined : resolve(cwd, file),
  };
}

function toChoice<Choice extends string>(flag: string, text: string, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice === text);
  if (found !== undefined) return found;
  throw new GatewayError(
    'INVALID_PARAMS',
    `${flag} takes ${choices.join(', ')}, not "${text}"${didYouMean(text, choices)}`,
  );
}

function follow(gateway: Gateway, loaded: LoadedConfig, places: ConfigPlaces): () => void {
  try {
    return followConfig({
      loaded,
      places,
      parts: CONFIG_PARTS,
      async onConfig(next, path, pending) {
        // Said anew each time: the file may have appeared since, or have become the person's own.
        const keptValues = mayUseKept(path, places);
        await gateway.reload(next, { keptValues });
        gateway.feed.publish({ type: 'config.reloaded', path, pending });
        if (!keptValues) warnOf(path, next, gateway);
        tellDoubts(next, gateway);
      },
      onRejected: (path, reason) => gateway.feed.publish({ type: 'config.rejected', path, reason }),
    });
  } catch (error) {
    gateway.feed.publish({ type: 'fault', where: 'watching the configuration', error });
    return () => {};
  }
}

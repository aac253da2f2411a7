/** The house of a command: the home and configuration it was pointed to, opened as far as it is used. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findHome } from '../../config/home.ts';
import { checkNamed } from '../../config/load.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import type { House } from '../../operations/house.ts';
import { createMemoryStore } from '../../store/memory-store.ts';
import { openStore } from '../../store/open.ts';
import type { Store } from '../../store/store.ts';
import { type CommandInput, type CommandOption, type CommandPorts, textOption } from '../command.ts';
import { GATEWAY_OPTIONS } from '../gateway/configured-gateway.ts';
import { sayProgress } from '../output/progress.ts';
import { createHouse } from './house.ts';

/** Understood by every command that manages something. */
export const PLACE_OPTIONS: readonly CommandOption[] = GATEWAY_OPTIONS.filter(({ flags }) =>
  /^--(config|home) /.test(flags),
);

/** What a command is going to do in its house. */
export interface HouseUse {
  /** True when it may make the configuration file that was named. */
  readonly mayMake?: boolean;
}

/** Opens the house of a command; disposing it lets go of the store. */
export async function openHouse(
  input: CommandInput,
  ports: CommandPorts,
  { mayMake = false }: HouseUse = {},
): Promise<House & AsyncDisposable> {
  const { cwd, env, program } = ports;
  const explicit = textOption(input, 'config');
  await checkNamed({ cwd, explicit }, { mayMake });
  const toMake = explicit !== undefined && !existsSync(resolve(cwd, explicit)) ? resolve(cwd, explicit) : '';
  const home = findHome({ flag: textOption(input, 'home'), env });
  const stopping = new AbortController();
  void ports.stopped.then((signal) =>
    stopping.abort(
      new GatewayError('CALL_CANCELLED', `stopped by ${signal}; what was not finished was not done`),
    ),
  );
  let opened: Promise<Store> | undefined;
  const file = join(home, 'thimble.db');
  const open = () =>
    input.options['dryRun'] === true && !existsSync(file)
      ? Promise.resolve(createMemoryStore('a dry run writes nothing'))
      : openStore(file, { key: env['THIMBLE_KEY'] });
  const store = () => (opened ??= open());
  const place = { home, cwd, explicit, env, program };
  return {
    ...createHouse(place, store, { tell: sayProgress, signal: stopping.signal }),
    async [Symbol.asyncDispose]() {
      // One that never opened was told to whoever asked for it; there is nothing to let go of.
      await (await opened?.catch(() => undefined))?.[Symbol.asyncDispose]();
      if (toMake !== '' && existsSync(toMake)) sayProgress(`${toMake} did not exist and was made`);
    },
  };
}

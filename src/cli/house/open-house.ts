/** The house of a command: the home and configuration it was pointed to, opened as far as it is used. */
import { join } from 'node:path';
import { findHome } from '../../config/home.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import type { House } from '../../operations/house.ts';
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

/** Opens the house of a command; disposing it lets go of the store. */
export function openHouse(input: CommandInput, ports: CommandPorts): House & AsyncDisposable {
  const { cwd, env, program } = ports;
  const home = findHome({ flag: textOption(input, 'home'), env });
  const stopping = new AbortController();
  void ports.stopped.then((signal) =>
    stopping.abort(
      new GatewayError('CALL_CANCELLED', `stopped by ${signal}; what was not finished was not done`),
    ),
  );
  let opened: Promise<Store> | undefined;
  const store = () => (opened ??= openStore(join(home, 'thimble.db'), { key: env['THIMBLE_KEY'] }));
  const place = { home, cwd, explicit: textOption(input, 'config'), env, program };
  return {
    ...createHouse(place, store, { tell: sayProgress, signal: stopping.signal }),
    async [Symbol.asyncDispose]() {
      // One that never opened was told to whoever asked for it; there is nothing to let go of.
      await (await opened?.catch(() => undefined))?.[Symbol.asyncDispose]();
    },
  };
}

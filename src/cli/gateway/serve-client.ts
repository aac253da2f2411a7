/** Serves the client on the other end of stdin and stdout, with servers of this process or of one that has them already. */
import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../config/config.ts';
import { OWNER } from '../../model/principal.ts';
import { serveStdio } from '../../transport/stdio.ts';
import { createDeferred } from '../../upstream/deferred.ts';
import type { CommandInput, CommandOption, CommandPorts } from '../command.ts';
import { openDoor } from '../door/door.ts';
import type { Listening } from '../door/socket.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { openGuest } from '../host/guest.ts';
import { join, type Wish } from '../host/join.ts';
import { openOurPlace } from '../host/our-place.ts';
import { openConfiguredGateway, readSetting, type Setting } from './configured-gateway.ts';

/** Understood by the commands that serve one client. */
export const ALONE: CommandOption = {
  flags: '--alone',
  summary: 'start servers of its own, even when another process runs the same ones',
};

/** Serves one client; what it wishes for is read from the configuration. */
export async function serveClient(
  command: string,
  input: CommandInput,
  ports: CommandPorts,
  toWish: (config: Config) => Wish | Promise<Wish>,
): Promise<number> {
  const setting = await readSetting(input, ports);
  const wish = await toWish(setting.loaded.config);
  const joined = input.options['alone'] === true ? undefined : await tryToJoin(setting, wish, ports);
  const served =
    joined?.as === 'guest'
      ? openGuest({ command, input, ports, setting, wish }, joined.socket)
      : serveOurselves(command, input, ports, wish, joined?.as === 'host' ? joined.listening : undefined);
  return Promise.race([served, untilHurried(ports)]);
}

/** What a signal leaves to whoever has closed its end before: clients soon kill what is still there. */
const LAST_MS = 1_000;

/** Resolves soon after a signal that follows the end of the input: with this process end servers that do not mind. */
async function untilHurried({ streams: { input }, stopped }: CommandPorts): Promise<number> {
  await new Promise<void>((resolve) => {
    for (const end of ['end', 'close']) input.once(end, resolve);
  });
  await stopped;
  await delay(LAST_MS);
  return EXIT_CODES.ok.code;
}

/** Without a store, or a way to open sockets, nobody can be met. */
async function tryToJoin(setting: Setting, wish: Wish, ports: CommandPorts) {
  await using place = await openOurPlace(setting, ports);
  return place && (await join(place, setting.home, wish));
}

async function serveOurselves(
  command: string,
  input: CommandInput,
  ports: CommandPorts,
  wish: Wish,
  listening: Listening | undefined,
): Promise<number> {
  await using running = await openConfiguredGateway(input, ports);
  const { gateway, configPath, looked } = running;
  if (configPath === undefined) gateway.feed.publish({ type: 'config.missing', looked });
  const endpoint = gateway.sessions.endpointOf(wish.path, wish.profile);
  await using door = await openDoor({ gateway, home: running.home, command, listening });
  const { promise: closed, resolve } = createDeferred<void>();
  const serving = serveStdio({
    ...ports.streams,
    sessions: gateway.sessions,
    endpoint,
    principal: OWNER,
    feed: gateway.feed,
    onClosed: resolve,
  });
  await Promise.race([closed, ports.stopped]);
  // After a signal calls in flight are let finish, ours and those of guests in the same time; after the client has gone there are none of ours left.
  await Promise.all([serving.stop(), door[Symbol.asyncDispose]()]);
  return EXIT_CODES.ok.code;
}

/** Serves a client through the process that has the servers, and takes that process's place when it ends. */
import { type Duplex, duplexPair } from 'node:stream';
import { OWNER } from '../../model/principal.ts';
import { serveStdio } from '../../transport/stdio.ts';
import type { CommandInput, CommandPorts } from '../command.ts';
import { openDoor } from '../door/door.ts';
import { openConfiguredGateway, type RunningGateway, type Setting } from '../gateway/configured-gateway.ts';
import { join, type Wish } from './join.ts';
import { openOurPlace } from './our-place.ts';
import { createReceipts } from './received.ts';
import { openRelay } from './relay.ts';
import { SWITCHING_PATH, toSwitchNames } from './switches.ts';

/** Whom to serve, and with what. */
export interface GuestParts {
  readonly input: CommandInput;
  readonly ports: CommandPorts;
  readonly setting: Setting;
  readonly wish: Wish;
  /** The command this process was started with. */
  readonly command: string;
}

/** Serves until the client closes its end or a signal comes. */
export async function openGuest(parts: GuestParts, first: Duplex): Promise<number> {
  const { ports, setting, wish } = parts;
  const own: OwnServing = {};
  const switches = toSwitchNames(wish.path, setting.loaded.config);
  // Another mode may be the configured one by then, and what is said again would mean other tools there.
  const next = switches ? { ...parts, wish: { ...wish, path: SWITCHING_PATH } } : parts;
  const relay = openRelay({ ...ports.streams, switches, connect: () => findNext(next, own) }, first);
  try {
    await Promise.race([relay.closed, ports.stopped]);
    // Calls of our client and of guests are let finish in the same time.
    await Promise.all([relay.stop(), own.door?.[Symbol.asyncDispose]()]);
  } finally {
    await own.running?.[Symbol.asyncDispose]();
  }
  return 0;
}

/** What this process runs itself, once it has taken the place of another. */
interface OwnServing {
  running?: RunningGateway;
  door?: AsyncDisposable;
}

/** The next process to serve us: another one, or this one from now on. */
async function findNext(parts: GuestParts, own: OwnServing): Promise<Duplex> {
  const { input, ports, setting, wish } = parts;
  await using place = await openOurPlace(setting, ports);
  const joined = place && (await join(place, setting.home, wish));
  if (joined?.as === 'guest') return joined.socket;
  const running = await openConfiguredGateway(input, ports);
  own.running = running;
  const { gateway, home } = running;
  const listening = joined?.as === 'host' ? joined.listening : undefined;
  own.door = await openDoor({ gateway, home, command: parts.command, listening });
  return serveWithin(running, wish);
}

/** Serves our own client over streams that never leave this process. */
function serveWithin({ gateway }: RunningGateway, { path, profile }: Wish): Duplex {
  const [ours, theirs] = duplexPair();
  serveStdio({
    input: theirs,
    output: theirs,
    sessions: gateway.sessions,
    endpoint: gateway.sessions.endpointOf(path, profile),
    principal: OWNER,
    feed: gateway.feed,
    onLine: createReceipts(),
    onClosed: () => theirs.end(),
  });
  return ours;
}

/** The network as Hyperswarm makes it: found by public key in a distributed hash table, Noise encrypted end to end. */
import type { Clock } from '../../../lib/clock.ts';
import { LEAVE_MS } from '../limits.ts';
import type { NetworkPlace, OpenNetwork } from './network.ts';

/** Creates the way onto it; nothing is loaded and no socket opened before it is used. */
export function createHyperswarm(clock: Clock, place?: NetworkPlace): OpenNetwork {
  return async (keyPair, events) => {
    const { default: Hyperswarm } = await import('hyperswarm');
    const swarm = new Hyperswarm({
      keyPair,
      ...(place === undefined ? {} : { dht: await createDht(place) }),
      firewall: (key) => events.isRefused(Buffer.from(key).toString('hex')),
    });
    swarm.on('connection', (stream) => {
      // Streams tell of their end by `close` as well; without a listener an error would end the process.
      stream.on('error', () => {});
      events.connected(stream.remotePublicKey.toString('hex'), stream);
    });
    await bind(swarm);
    // Being announced may take as long as the network does; being dialled meanwhile is only not yet possible.
    swarm.listen().catch(() => {});
    return {
      dial(key) {
        // A contact that was refused once is banned by the swarm until it is told otherwise.
        swarm.peers.get(key)?.ban(false);
        swarm.joinPeer(Buffer.from(key, 'hex'));
      },
      forget: (key) => swarm.leavePeer(Buffer.from(key, 'hex')),
      [Symbol.asyncDispose]: () => leave(swarm, clock),
    };
  };
}

/** What of a swarm its beginning and its end need. */
interface Ends {
  readonly dht: { bind(): Promise<void>; destroy(options: { readonly force: boolean }): Promise<void> };
  destroy(): Promise<void>;
}

/** Opens the sockets; an address that this machine does not have is told at once, and not by silence. */
async function bind({ dht }: Ends): Promise<void> {
  try {
    await dht.bind();
  } catch (error) {
    await dht.destroy({ force: true }).catch(() => {});
    throw error;
  }
}

async function createDht({ bootstrap, host }: NetworkPlace): Promise<object> {
  const { default: HyperDHT } = await import('hyperdht');
  const bound = host === undefined ? {} : { host };
  if (bootstrap === undefined) return new HyperDHT(bound);
  // Whoever is bound to one address in a table of their own is reached there: looking for holes in a firewall, or for a LAN, only takes time.
  const open = host === undefined ? {} : { localConnection: false, firewalled: false };
  return new HyperDHT({ bootstrap, ...bound, ...open });
}

/** In good order first, which tells others that we are gone; a network that is silent must not keep us. */
async function leave(swarm: Ends, clock: Clock): Promise<void> {
  const left = swarm.destroy().then(
    () => true,
    () => false,
  );
  let cancel = () => {};
  const late = new Promise<boolean>((resolve) => {
    cancel = clock.after(LEAVE_MS, () => resolve(false));
  });
  const isDone = await Promise.race([left, late]);
  cancel();
  // A swarm waits for its announcement to end even when it is forced; without the table under it, it ends at once.
  if (!isDone) await swarm.dht.destroy({ force: true }).catch(() => {});
}

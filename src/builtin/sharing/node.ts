/** Sharing's place on the network: joined when there is somebody to reach, left when not, one in a process and one for a store. */
import { onceLoaded } from '../../lib/once-loaded.ts';
import { openSharing, type Sharing, type SharingContext, type SharingParts } from './context.ts';
import { createLease, type Lease } from './lease.ts';
import { LOOK_MS, RENEW_MS, REST_MS, SWEEP_MS } from './limits.ts';
import { createMeetings, type Meetings } from './meetings.ts';
import { createHyperswarm } from './network/hyperswarm.ts';
import type { OpenNetwork, PeerNetwork } from './network/network.ts';
import { type Contact, listContacts, noteNobody } from './rows/contacts.ts';
import { countOpenInvites, listPendingJoins } from './rows/invites.ts';
import { listOutgoingFiles, listWaitingContacts } from './rows/outbox.ts';
import { dropForsaken, listFileNames } from './rows/received.ts';

/** What tools of sharing use; disposing it leaves the network. */
export interface SharingNode extends AsyncDisposable, Readonly<SharingContext['node']> {
  /** Opens the tables, and the network if there is somebody to reach. */
  open(): Promise<Sharing>;
}

/** What is open while the network is. */
interface Online {
  readonly network: PeerNetwork;
  readonly meetings: Meetings;
}

/** Creates a node; nothing is opened before it is used. */
export function createSharingNode(parts: SharingParts): SharingNode {
  const findSharing = onceLoaded(() => openSharing(parts));
  let node: { readonly sharing: Sharing; readonly lease: Lease } | undefined;
  let online: Online | undefined;
  let state: 'off' | 'elsewhere' | 'failed' = 'off';
  let renewAt = 0;
  let retryAt = 0;
  let sweepAt = 0;
  let closed = false;
  let cancelTimer = () => {};
  let looking: Promise<void> = Promise.resolve();

  async function open(): Promise<Sharing> {
    const opened = await findSharing();
    if (node === undefined && !closed) {
      node = { sharing: opened, lease: createLease(opened) };
      await wake();
    }
    return opened;
  }

  /** One look after the other: what is asked for during one is done by the next. */
  function wake(): Promise<void> {
    looking = looking.then(look).catch(() => {
      // The store could not be read; the next look may.
      schedule(REST_MS);
    });
    return looking;
  }

  function schedule(delay: number): void {
    cancelTimer();
    if (!closed)
      cancelTimer = (parts.clock ?? node?.sharing.clock)?.after(delay, () => void wake()) ?? (() => {});
  }

  async function look(): Promise<void> {
    if (closed || !node) return;
    const contacts = await listContacts(node.sharing);
    const joins = await listPendingJoins(node.sharing);
    const friends = contacts.filter(({ blocked }) => blocked === 0);
    const keys = [...friends, ...joins].map(({ peer_key }) => peer_key);
    const isWanted = keys.length > 0 || (await countOpenInvites(node.sharing)) > 0;
    if (isWanted) await join(contacts);
    else await leave();
    if (online) {
      online.meetings.know(contacts, new Set(keys));
      const waiting = new Set(await listWaitingContacts(node.sharing));
      const awaited = [...friends.filter(({ id }) => waiting.has(id)), ...joins];
      online.meetings.hurry(awaited.map(({ peer_key }) => peer_key));
    }
    schedule(isWanted ? LOOK_MS : REST_MS);
  }

  /** Goes on the network, or stays there, as long as no other process is. */
  async function join(contacts: readonly Contact[]): Promise<void> {
    if (!node) return;
    const { sharing: opened, lease } = node;
    const now = opened.clock.now();
    if (online ? now < renewAt : now < retryAt) return;
    // Asked before it is taken, since taking it locks the store for a moment.
    if ((!online && (await lease.isHeld())) || !(await lease.hold())) {
      await leave();
      state = 'elsewhere';
      return;
    }
    renewAt = now + RENEW_MS;
    if (now >= sweepAt) {
      sweepAt = now + SWEEP_MS;
      await sweep(opened);
    }
    if (online) return;
    try {
      online = await goOnline(opened, contacts, toOpenNetwork(parts, opened), () => void wake());
    } catch {
      // No way onto the network, or no key; what waits goes on waiting, and sharing_status says so.
      state = 'failed';
      retryAt = now + REST_MS;
      await lease.release();
    }
  }

  async function leave(): Promise<void> {
    state = 'off';
    const left = online;
    online = undefined;
    await left?.meetings.end();
    await left?.network[Symbol.asyncDispose]();
    if (left) await node?.lease.release();
  }

  return {
    open,
    wake,
    async presence() {
      // Whoever is about to join holds the lease already, and would take itself for another process.
      await looking;
      if (online) return 'on';
      return state !== 'failed' && (await node?.lease.isHeld()) ? 'elsewhere' : state;
    },
    async [Symbol.asyncDispose]() {
      closed = true;
      cancelTimer();
      await looking;
      await leave();
    },
  };
}

function toOpenNetwork({ network }: SharingParts, { clock, place }: Sharing): OpenNetwork {
  return typeof network === 'function' ? network : createHyperswarm(clock, network ?? place);
}

async function goOnline(
  sharing: Sharing,
  contacts: readonly Contact[],
  openNetwork: OpenNetwork,
  changed: () => void,
): Promise<Online> {
  const { pair } = await sharing.identity();
  await noteNobody(sharing);
  const meetings = createMeetings({ sharing, changed });
  meetings.know(contacts, new Set());
  const network = await openNetwork(pair, meetings);
  meetings.use(network);
  return { network, meetings };
}

/** Removes the files that no row names: those a crash left, those nobody finishes, and those that were handed over for good. */
async function sweep(sharing: Sharing): Promise<void> {
  await dropForsaken(sharing);
  const incoming = await listFileNames(sharing);
  const outgoing = await listOutgoingFiles(sharing);
  await sharing.files.sweep('outgoing', (name) => outgoing.has(name));
  await sharing.files.sweep('arriving', (name) => incoming.has(name));
  await sharing.files.sweep('received', (name) => incoming.has(name));
}

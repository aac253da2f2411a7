/** A peer of a test that says whatever it is told to, right or wrong. */
import { randomBytes } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { openSharing, type Sharing, type SharingParts } from './context.ts';
import { type Frame, readFrames, toWords } from './peer/frames.ts';
import { addContact } from './rows/contacts.ts';
import { createTestNetwork, type TestNetwork } from './test-network.contract.ts';
import { openTestPerson, type TestPerson } from './test-peers.contract.ts';

/** Somebody with a contact, and that contact's key. */
export interface Stage {
  readonly anna: TestPerson;
  readonly sharing: Sharing;
  readonly network: TestNetwork;
  readonly key: string;
}

/** Opens somebody on the network who knows one contact, Mallory. */
export async function openStage(parts: Partial<SharingParts> = {}): Promise<Stage> {
  const network = createTestNetwork();
  const anna = await openTestPerson({ network: network.open, ...parts });
  const sharing = await openSharing({ store: anna.store, home: anna.home });
  const key = randomBytes(32).toString('hex');
  await addContact(sharing.db, { principal: 'local', key, name: 'Mallory', at: sharing.now().toISOString() });
  await anna.client.call('sharing_status');
  return { anna, sharing, network, key };
}

/** The far end of a stream. */
export class Raw {
  readonly stream: Duplex;
  readonly #frames: AsyncGenerator<Frame>;

  constructor(stream: Duplex | undefined) {
    if (!stream) throw new Error('refused');
    this.stream = stream;
    this.#frames = readFrames(stream, () => 1_000_000);
  }

  say(value: unknown): void {
    this.stream.write(toWords(value));
  }

  /** The next thing heard; undefined when the stream ended. */
  async hear(): Promise<unknown> {
    const { value } = await this.#frames.next().catch(() => ({ value: undefined }));
    return (value as Frame & { kind: 'words' })?.value;
  }

  /** Everything that is said until the stream ends. */
  async rest(): Promise<unknown[]> {
    const said: unknown[] = [];
    for (let heard = await this.hear(); heard !== undefined; heard = await this.hear()) said.push(heard);
    return said;
  }
}

/** Connects somebody by their key. */
export async function connect({ network, sharing }: Stage, key: string): Promise<Raw> {
  return new Raw(network.connect(key, (await sharing.identity()).key));
}

/** Lets the contact in. */
export async function openContact(stage: Stage): Promise<Raw> {
  const raw = await connect(stage, stage.key);
  raw.say({ t: 'hello', v: 1 });
  raw.say({ t: 'ready' });
  for (const t of ['hello', 'ready']) {
    const heard = (await raw.hear()) as { readonly t?: string } | undefined;
    if (heard?.t !== t) throw new Error(`expected ${t}, heard ${JSON.stringify(heard)}`);
  }
  return raw;
}

/** The id of an item. */
export const newId = () => randomBytes(16).toString('hex');
/** A message as it goes over the wire. */
export const message = (id: string, text = 'hi') => ({ t: 'item', id, kind: 'message', text });

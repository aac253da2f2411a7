/** The contract of the network between people: streams to and from the owners of public keys, who are proven by it. */
import type { KeyPair } from '../identity.ts';

/** A stream to somebody whose public key is proven; what a Noise stream and a Node stream have in common. */
export interface PeerStream extends AsyncIterable<Uint8Array> {
  /** False when it would rather wait for `drain`. */
  write(bytes: Uint8Array): boolean;
  end(): unknown;
  destroy(): unknown;
  on(event: 'drain' | 'close' | 'error', listener: () => void): unknown;
  off(event: 'drain' | 'close' | 'error', listener: () => void): unknown;
}

/** What the network tells. */
export interface NetworkEvents {
  /** Somebody is there, whoever dialled; the key is hex. */
  connected(key: string, stream: PeerStream): void;
  /** Asked before a stranger's handshake is answered: true lets it fail. */
  isRefused(key: string): boolean;
}

/** Our place in the network; disposing it leaves. */
export interface PeerNetwork extends AsyncDisposable {
  /** Keeps trying to reach somebody; said again, it tries at once. */
  dial(key: string): void;
  /** Stops trying; what is connected stays. */
  forget(key: string): void;
}

/** Goes on the network under a key. */
export type OpenNetwork = (keys: KeyPair, events: NetworkEvents) => Promise<PeerNetwork>;

/** Where to find others and be found. */
export interface NetworkPlace {
  /** Nodes of a table of one's own; the public one without them. */
  readonly bootstrap?: readonly { readonly host: string; readonly port: number }[] | undefined;
  /** The address to bind to and be reached at; with one, nothing else of the machine is used. */
  readonly host?: string | undefined;
}

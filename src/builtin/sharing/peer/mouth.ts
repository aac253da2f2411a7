/** Says things to a peer, no faster than they are heard. */
import type { PeerStream } from '../network/network.ts';
import { toBytes, toWords } from './frames.ts';
import type { PeerMessage } from './messages.ts';

/** The way to a peer. */
export interface Mouth {
  say(message: PeerMessage): Promise<void>;
  sayBytes(id: string, bytes: Uint8Array): Promise<void>;
}

/** Creates it; once the peer is gone, whatever is said rejects with the reason of the signal. */
export function createMouth(stream: PeerStream, gone: AbortSignal): Mouth {
  const write = async (frame: Buffer) => {
    gone.throwIfAborted();
    if (!stream.write(frame)) await drained(stream, gone);
  };
  return {
    say: (message) => write(toWords(message)),
    sayBytes: (id, bytes) => write(toBytes(id, bytes)),
  };
}

function drained(stream: PeerStream, gone: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      stream.off('drain', onDrain);
      gone.removeEventListener('abort', onGone);
    };
    const onDrain = () => {
      stop();
      resolve();
    };
    const onGone = () => {
      stop();
      reject(gone.reason);
    };
    stream.on('drain', onDrain);
    gone.addEventListener('abort', onGone);
  });
}

/** Two channel ends linked in memory: what one sends, the other receives, in order and asynchronously. */
import type { Channel, ChannelReceiver, CloseReason } from './channel.ts';
import type { Message } from './message.ts';

/** Creates a linked pair. */
export function createChannelPair(): [Channel, Channel] {
  const left = new MemoryEnd();
  const right = new MemoryEnd();
  left.other = right;
  right.other = left;
  return [left, right];
}

class MemoryEnd implements Channel {
  other: MemoryEnd | undefined;
  #receiver: ChannelReceiver | undefined;
  #early: Message[] = [];
  #closed = false;

  open(receiver: ChannelReceiver): void {
    this.#receiver = receiver;
    for (const message of this.#early.splice(0)) queueMicrotask(() => this.#deliver(message));
  }

  send(message: Message): void {
    const { other } = this;
    if (!this.#closed && other) queueMicrotask(() => other.#deliver(message));
  }

  async close(): Promise<void> {
    this.#end({ kind: 'closed', message: 'the link was closed' });
    if (this.other) this.other.#end({ kind: 'closed', message: 'the other end closed the link' });
  }

  #deliver(message: Message): void {
    if (this.#closed) return;
    if (this.#receiver) this.#receiver.message(message);
    else this.#early.push(message);
  }

  #end(reason: CloseReason): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#receiver?.closed(reason);
  }
}

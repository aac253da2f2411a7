/** What has to be said again so that another process takes a conversation up where it was. */
import type { Message, RequestId } from '../../wire/message.ts';
import { createSwitches, type SwitchNames } from './switches.ts';

/** One line to say again; with an id when it will be answered. */
export interface ReplayedLine {
  readonly line: Buffer;
  readonly id: RequestId | undefined;
  /** True when what the client says next has to find it done. */
  readonly isFirst: boolean;
}

/** Remembers what a legacy client said of itself, which a modern one says with every request, and what either switched on. */
export interface ConversationMemory {
  hear(message: Message): void;
  /** The lines to say again; without the opening when that is still waiting for its answer. */
  replay(withoutOpening: boolean): readonly ReplayedLine[];
}

const KEPT_LAST: ReadonlySet<string> = new Set([
  'initialize',
  'notifications/initialized',
  'logging/setLevel',
]);

/** Creates an empty memory; the names are those of the tools that switch servers on and off, if there are any. */
export function createMemory(names?: SwitchNames): ConversationMemory {
  const switches = createSwitches(names);
  const last = new Map<string, Message>();
  const watched = new Map<string, Message>();
  return {
    hear(message) {
      if (!('method' in message) || switches.hear(message)) return;
      const uri = JSON.stringify(message.params?.['uri'] ?? null);
      if (message.method === 'resources/subscribe') watched.set(uri, message);
      else if (message.method === 'resources/unsubscribe') watched.delete(uri);
      else if (KEPT_LAST.has(message.method)) last.set(message.method, message);
    },
    replay(withoutOpening) {
      const order = ['initialize', 'notifications/initialized', 'logging/setLevel'];
      const said = order.flatMap((method) => last.get(method) ?? []);
      const kept = withoutOpening
        ? said.filter((message) => 'method' in message && message.method !== 'initialize')
        : said;
      const switched = new Set(switches.calls);
      return [...kept, ...switched, ...watched.values()].map((message, at) => {
        const id = 'id' in message ? `again ${at}` : undefined;
        const again = id === undefined ? message : { ...message, id };
        return { line: Buffer.from(JSON.stringify(again)), id, isFirst: switched.has(message) };
      });
    },
  };
}

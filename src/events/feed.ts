/** Publish and subscribe for gateway news. */
import type { GatewayEvent } from './events.ts';

/** Ends a subscription. */
export type Unsubscribe = () => void;

/** Where news is published and heard; a listener that throws disturbs nobody. */
export interface Feed {
  publish(event: GatewayEvent): void;
  on(listener: (event: GatewayEvent) => void): Unsubscribe;
}

/** Creates a feed. */
export function createFeed(): Feed {
  const listeners = new Set<(event: GatewayEvent) => void>();
  return {
    publish(event) {
      for (const listener of [...listeners]) {
        try {
          listener(event);
        } catch (error) {
          // Publishing the fault again could loop for ever, so it only reaches the other listeners.
          if (event.type === 'fault') continue;
          for (const other of listeners)
            if (other !== listener) other({ type: 'fault', where: 'event listener', error });
        }
      }
    },
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

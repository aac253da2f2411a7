/** Publish and subscribe for gateway news. */
import type { GatewayEvent } from './events.ts';

/** Ends a subscription. */
export type Unsubscribe = () => void;

type Listener = (event: GatewayEvent) => void;

/** Where news is published and heard; a listener that throws disturbs nobody. */
export interface Feed {
  publish(event: GatewayEvent): void;
  on(listener: Listener): Unsubscribe;
}

/** Creates a feed. */
export function createFeed(): Feed {
  const listeners = new Set<Listener>();

  function tell(event: GatewayEvent, except?: Listener): void {
    for (const listener of [...listeners]) {
      if (listener === except) continue;
      try {
        listener(event);
      } catch (error) {
        // Telling of a fault with a fault could go on for ever, and who threw has heard of it.
        if (event.type !== 'fault') tell({ type: 'fault', where: 'event listener', error }, listener);
      }
    }
  }

  return {
    publish: (event) => tell(event),
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

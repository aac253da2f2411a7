/** What an instance tells the feed. */
import type { Feed } from '../events/feed.ts';
import type { Manifest } from '../model/manifest.ts';
import type { UpstreamConfig } from './upstream.ts';

/** The news of one instance. */
export interface InstanceNews {
  state(state: string, detail: string): void;
  manifest(manifest: Manifest): void;
  /** Says how much of what it sent was no message, if any was. */
  noise(badLines: number): void;
  fault(doing: string, error: unknown): void;
}

/** Publishes under the id of a configured server. */
export function createInstanceNews(feed: Feed, { id: upstream, name }: UpstreamConfig): InstanceNews {
  return {
    state: (state, detail) => feed.publish({ type: 'upstream.state', upstream, state, detail }),
    manifest({ lists }) {
      feed.publish({ type: 'upstream.manifest', upstream, tools: lists.tool.length, changed: true });
    },
    noise(badLines) {
      if (badLines > 0) feed.publish({ type: 'upstream.noise', upstream, badLines });
    },
    fault: (doing, error) => feed.publish({ type: 'fault', where: `${doing} ${name}`, error }),
  };
}

/** The 49 tools of five servers like the gateway's own, as offers of upstreams. */
import { readFileSync } from 'node:fs';
import type { Definition } from '../../src/model/mcp.ts';
import type { FakeOffer } from './fake-upstreams.ts';

interface CoreServer {
  readonly title: string;
  readonly tools: readonly Definition[];
}

/** Offers by server, each marked as one of the gateway's own. */
export function readCoreOffers(): Record<string, Omit<FakeOffer, 'tools'> & CoreServer> {
  const text = readFileSync(new URL('../fixtures/core-tools.json', import.meta.url), 'utf8');
  const { servers } = JSON.parse(text) as { servers: Record<string, CoreServer> };
  return Object.fromEntries(Object.entries(servers).map(([id, server]) => [id, { ...server, core: true }]));
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { createFakeSessions } from '../../../test/support/fake-sessions.ts';
import { begin } from '../../../test/support/raw-http.ts';
import { createFeed } from '../../events/feed.ts';
import { LOCAL_PRINCIPAL } from '../../model/principal.ts';
import { CallCounter } from '../calls.ts';
import { type Address, parseAddress } from './address.ts';
import { createLiveSessions } from './live-sessions.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** The answer half of a request that really is under way. */
async function openResponse() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const arrived = new Promise<import('node:http').ServerResponse>((resolve) =>
    server.on('request', (_, response) => resolve(response)),
  );
  begin(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {}).on('error', () => {});
  return arrived;
}

function setUp(limit: number) {
  const context = {
    sessions: createFakeSessions(),
    principal: LOCAL_PRINCIPAL,
    feed: createFeed(),
    clock: createFakeClock(),
    calls: new CallCounter(),
  };
  return { ...context, live: createLiveSessions(context, limit) };
}

const mcp = parseAddress('/mcp') as Address;
const call = { jsonrpc: '2.0', id: 1, method: 'ping' } as const;

describe('live sessions', () => {
  it('has no room while all that are alive are at work', async () => {
    const { live } = setUp(1);
    const session = live.open(mcp)!;
    session.channel.post([call], false, await openResponse());
    expect(live.open(mcp)).toBeUndefined();
    await expect.poll(() => session.channel.busy).toBe(false);
    expect(live.open(mcp)).toBeDefined();
    expect(live.find(mcp, session.channel.id)).toBeUndefined();
  });

  it('gives up a silent session before one that listens', async () => {
    const { live, clock } = setUp(2);
    const listening = live.open(mcp)!;
    listening.channel.get(undefined, await openResponse());
    await clock.advance(10);
    const silent = live.open(mcp)!;
    live.open(mcp);
    expect(live.find(mcp, silent.channel.id)).toBeUndefined();
    expect(live.find(mcp, listening.channel.id)).toBe(listening);
    live.close();
    expect(clock.waiting).toBe(0);
  });
});

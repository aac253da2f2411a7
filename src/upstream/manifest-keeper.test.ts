import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { RpcError } from '../errors/gateway-error.ts';
import type { Manifest } from '../model/manifest.ts';
import { createDeferred } from './deferred.ts';
import { ManifestKeeper } from './manifest-keeper.ts';
import type { Connection } from './upstream.ts';

function createServer(...tools: string[]) {
  const server = { tools, reads: 0, isGone: false };
  const connection = {
    hello: { era: 'legacy', capabilities: { tools: {} } },
    async request() {
      server.reads += 1;
      if (server.isGone) throw new RpcError(-32603, 'gone');
      return { tools: server.tools.map((name) => ({ name, inputSchema: { type: 'object' } })) };
    },
  } as unknown as Connection;
  return Object.assign(server, { connection });
}

function setUp(initial?: Manifest) {
  const clock = createFakeClock();
  const stop = new AbortController();
  const changes: string[][] = [];
  const remarks: string[] = [];
  const keeper = new ManifestKeeper({
    initial,
    clock,
    stopping: stop.signal,
    async onChange({ lists }) {
      changes.push(lists.tool.map(({ name }) => String(name)));
    },
    onRemark: (remark) => remarks.push(remark),
  });
  return { keeper, clock, changes, remarks, stop, signal: stop.signal };
}

describe('what a server offers', () => {
  it('is told when it changed, and only then', async () => {
    const { keeper, clock, changes, signal } = setUp();
    const server = createServer('a');
    await keeper.welcome(server.connection, signal);
    for (const tools of [['a'], ['a', 'b'], ['a', 'b']]) {
      server.tools = tools;
      keeper.refreshSoon();
      await clock.advance(2_000);
    }
    expect(server.reads).toBe(4);
    expect(changes).toEqual([['a'], ['a', 'b']]);
  });

  it('that was kept from an earlier run is not told again when it is found the same', async () => {
    const first = setUp();
    const server = createServer('a');
    await first.keeper.welcome(server.connection, first.signal);
    const { keeper, clock, changes, signal } = setUp(first.keeper.current);
    await keeper.welcome(server.connection, signal);
    await clock.advance(0);
    expect([server.reads, changes]).toEqual([2, []]);
    await keeper.learn({ asks: true });
    await keeper.learn({ asks: true });
    expect(changes).toEqual([['a']]);
  });

  it('is read from the newest link, though an older one gave notice first', async () => {
    const { keeper, clock, changes, remarks, signal } = setUp();
    const old = createServer('a');
    const next = createServer('a');
    await keeper.welcome(old.connection, signal);
    keeper.refreshSoon();
    await clock.advance(100);
    old.isGone = true;
    await keeper.welcome(next.connection, signal);
    await clock.advance(0);
    next.tools = ['a', 'b'];
    keeper.refreshSoon();
    await clock.advance(2_000);
    expect(changes).toEqual([['a'], ['a', 'b']]);
    expect([old.reads, remarks]).toEqual([1, []]);
  });

  it('stays as it was last seen when it cannot be read again', async () => {
    const { keeper, clock, changes, remarks, signal } = setUp();
    const server = createServer('a');
    await keeper.welcome(server.connection, signal);
    server.isGone = true;
    keeper.refreshSoon();
    await clock.advance(2_000);
    expect(changes).toEqual([['a']]);
    expect(keeper.tool('a')).toBeDefined();
    expect(remarks).toEqual([expect.stringContaining('could not be read again')]);
  });

  it('is not read any more once all is stopped', async () => {
    const { keeper, clock, stop, signal } = setUp();
    const server = createServer('a');
    await keeper.welcome(server.connection, signal);
    keeper.refreshSoon();
    stop.abort();
    await clock.advance(2_000);
    keeper.refreshSoon();
    await clock.advance(2_000);
    expect([server.reads, clock.waiting]).toEqual([1, 0]);
  });

  it('is read once more, not once for each change, after a reading that took long', async () => {
    const { keeper, clock, signal } = setUp();
    const server = createServer('a');
    await keeper.welcome(server.connection, signal);
    const slow = createDeferred<void>();
    let reads = 0;
    const connection = {
      ...server.connection,
      async request() {
        reads += 1;
        await slow.promise;
        return { tools: [] };
      },
    } as unknown as Connection;
    await keeper.welcome(connection, signal);
    for (let second = 0; second < 30; second++) {
      keeper.refreshSoon();
      await clock.advance(1_000);
    }
    expect(reads).toBe(1);
    slow.resolve();
    await clock.advance(1_000);
    expect(reads).toBe(2);
  });
});

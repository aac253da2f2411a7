import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import type { CalledTool } from '../catalog/called-tool.ts';
import type { UpstreamId } from '../model/ids.ts';
import { createMemoryStore } from '../store/memory-store.ts';
import { createUsage, readUsage } from './usage.ts';

const DAY = 86_400_000;
const NOON = Date.parse('2026-03-01T12:00:00Z');

function setUp() {
  const clock = createFakeClock();
  const now = () => NOON + clock.now();
  const store = createMemoryStore();
  const usage = createUsage({ store, now, clock });
  const read = async (days = 30, upstream?: string) => {
    await usage.flush();
    return readUsage(store, { days, upstream, now: new Date(now()) });
  };
  return { clock, store, usage, now, read };
}

function call(changes: Partial<Omit<CalledTool, 'upstream'>> & { upstream?: string } = {}): CalledTool {
  const { upstream = 'files', ...rest } = changes;
  return {
    principal: { id: 'local' },
    upstream: upstream as UpstreamId,
    tool: 'read',
    ms: 10,
    result: { content: [{ type: 'text', text: 'four' }] },
    ...rest,
  };
}

describe('the account of calls', () => {
  it('writes itself down two seconds after a call', async () => {
    const { clock, usage, store, now } = setUp();
    usage.called(call());
    await clock.advance(2_000);
    const read = () => readUsage(store, { days: 1, now: new Date(now()) });
    await expect.poll(read).toMatchObject([{ tool: 'read', calls: 1 }]);
  });

  it('adds up calls, errors, times and sizes for each tool, the most used first', async () => {
    const { usage, read } = setUp();
    usage.called(call({ tool: 'write', ms: 3 }));
    usage.called(call({ ms: 10 }));
    usage.called(call({ ms: 30, result: { isError: true, content: [{ type: 'image', data: 'ab' }] } }));
    usage.called(call({ ms: 20, result: undefined }));
    expect(await read()).toEqual([
      {
        upstream: 'files',
        tool: 'read',
        calls: 3,
        errors: 2,
        totalMs: 60,
        maxMs: 30,
        bytes: 6,
        lastUsed: '2026-03-01T12:00:00.000Z',
      },
      expect.objectContaining({ tool: 'write', calls: 1, errors: 0, totalMs: 3, maxMs: 3, bytes: 4 }),
    ]);
  });

  it('adds to what was written before, by this process or another', async () => {
    const { usage, store, now, clock, read } = setUp();
    usage.called(call({ ms: 50 }));
    await usage.flush();
    await clock.advance(1_000);
    const other = createUsage({ store, now });
    other.called(call({ ms: 5, principal: { id: 'share:x' } }));
    other.called(call({ ms: 7 }));
    await other.flush();
    expect(await read()).toMatchObject([
      { calls: 3, totalMs: 62, maxMs: 50, lastUsed: '2026-03-01T12:00:01.000Z' },
    ]);
  });

  it('reads as many days and as few servers as were asked for', async () => {
    const { usage, clock, read } = setUp();
    usage.called(call());
    await clock.advance(2 * DAY);
    usage.called(call());
    usage.called(call({ upstream: 'mail', tool: 'send' }));
    expect(await read(1, 'files')).toMatchObject([{ upstream: 'files', calls: 1 }]);
    expect(await read(2, 'files')).toMatchObject([{ calls: 1 }]);
    expect(await read(3, 'files')).toMatchObject([{ calls: 2 }]);
    expect(await read(3)).toHaveLength(2);
  });

  it('does not count a call that still waits for its client', async () => {
    const { usage, read } = setUp();
    usage.called(call({ result: { resultType: 'input_required', inputRequests: {} } }));
    expect(await read()).toEqual([]);
  });

  it('forgets what is very old', async () => {
    const { usage, clock, read } = setUp();
    usage.called(call({ tool: 'old' }));
    await usage.flush();
    await clock.advance(500 * DAY);
    usage.called(call());
    expect((await read(1_000)).map(({ tool }) => tool)).toEqual(['read']);
  });

  it('does not disturb anybody when it cannot be written', async () => {
    const { usage, store } = setUp();
    await store[Symbol.asyncDispose]();
    usage.called(call());
    await expect(usage.flush()).resolves.toBeUndefined();
  });
});

it('writes many different tools in one go', async () => {
  const { usage, read } = setUp();
  for (let at = 0; at < 1_000; at++) usage.called(call({ tool: `tool ${at}` }));
  expect(await read()).toHaveLength(1_000);
});

import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../store/memory-store.ts';
import { openSharing } from './context.ts';
import { createLease } from './lease.ts';
import { LEASE_MS } from './limits.ts';

async function openTwo() {
  let time = 1_000_000;
  const sharing = await openSharing({ store: createMemoryStore(), now: () => new Date(time) });
  return {
    sharing,
    one: createLease(sharing),
    two: createLease(sharing),
    pass(ms: number) {
      time += ms;
    },
  };
}

describe('the lease', () => {
  it('belongs to one at a time, and to the next once it is given back', async () => {
    const { one, two } = await openTwo();
    expect(await one.hold()).toBe(true);
    expect(await one.hold()).toBe(true);
    expect(await two.hold()).toBe(false);
    await two.release();
    expect(await two.hold()).toBe(false);
    await one.release();
    expect(await two.hold()).toBe(true);
    expect(await one.hold()).toBe(false);
  });

  it('ends by itself when its holder shows no more', async () => {
    const { one, two, pass } = await openTwo();
    await one.hold();
    pass(LEASE_MS - 1);
    expect(await two.isHeld()).toBe(true);
    pass(1);
    expect(await two.isHeld()).toBe(false);
    expect(await two.hold()).toBe(true);
    expect(await one.hold()).toBe(false);
  });

  it('is free at once when the process that had it is dead, on this machine', async () => {
    const { sharing, one } = await openTwo();
    const { pid = 0 } = spawnSync(process.execPath, ['-e', '']);
    const row = { principal: 'local', owner: 'x', pid, until: 2_000_000 };
    await sharing.db
      .insertInto('sharing_leases')
      .values({ ...row, host: 'elsewhere' })
      .execute();
    expect(await one.hold()).toBe(false);
    await sharing.db.updateTable('sharing_leases').set({ host: hostname() }).execute();
    expect(await one.hold()).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import type { Leave } from './bulkhead.ts';
import { createCapacity, type Tenant } from './capacity.ts';

const live = () => new AbortController().signal;

function createTenant(name: string) {
  const tenant: Tenant & { isIdle: boolean; lastUsedAt: number; rests: number; leave: Leave } = {
    name,
    isIdle: true,
    lastUsedAt: 0,
    rests: 0,
    leave() {},
    rest() {
      tenant.rests += 1;
      tenant.leave();
    },
  };
  return tenant;
}

async function setUp(places: number, names: readonly string[]) {
  const clock = createFakeClock();
  const capacity = createCapacity(places, clock);
  const tenants = names.map(createTenant);
  for (const tenant of tenants) tenant.leave = await capacity.enter(tenant, live());
  return { clock, capacity, tenants };
}

describe('the places for programs', () => {
  it('are given up by whoever was used longest ago', async () => {
    const { capacity, tenants } = await setUp(3, ['a', 'b', 'c']);
    for (const [at, tenant] of tenants.entries()) tenant.lastUsedAt = [30, 10, 20][at] ?? 0;
    await capacity.enter(createTenant('d'), live());
    expect(tenants.map(({ rests }) => rests)).toEqual([0, 1, 0]);
    expect(capacity.taken).toBe(3);
  });

  it('are never taken from somebody at work: a newcomer waits until one idles', async () => {
    const { capacity, tenants, clock } = await setUp(2, ['a', 'b']);
    for (const tenant of tenants) tenant.isIdle = false;
    let entered = false;
    const entering = capacity.enter(createTenant('c'), live()).then(() => {
      entered = true;
    });
    await clock.advance(1_000);
    expect(entered).toBe(false);
    tenants[1]!.isIdle = true;
    capacity.free();
    await entering;
    expect(tenants.map(({ rests }) => rests)).toEqual([0, 1]);
  });

  it('are refused with advice when nobody idles for long', async () => {
    const { capacity, tenants, clock } = await setUp(1, ['a']);
    tenants[0]!.isIdle = false;
    const refusal = expect(capacity.enter(createTenant('b'), live())).rejects.toMatchObject({
      code: 'TOO_BUSY',
      message: expect.stringMatching(/^b: cannot start, since 1 programs run/),
    });
    await clock.advance(8_000);
    await refusal;
    expect(clock.waiting).toBe(0);
  });

  it('are asked for only as often as somebody waits', async () => {
    const { capacity, tenants } = await setUp(3, ['a', 'b', 'c']);
    for (const tenant of tenants) {
      tenant.rest = () => {
        tenant.rests += 1;
      };
    }
    void capacity.enter(createTenant('d'), live());
    await Promise.resolve();
    capacity.free();
    capacity.free();
    expect(tenants.map(({ rests }) => rests)).toEqual([1, 0, 0]);
  });
});

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../model/json.ts';
import { openShares } from '../../../session/shares.ts';
import { openTestHouse, type TestHouse } from '../../test-house.contract.ts';
import { enable } from './enable.ts';

async function open(config: JsonObject): Promise<TestHouse> {
  const house = await openTestHouse();
  onTestFinished(() => house[Symbol.asyncDispose]());
  await mkdir(house.home, { recursive: true });
  await writeFile(join(house.home, 'thimble.jsonc'), JSON.stringify(config));
  return house;
}

async function share(house: TestHouse, target: string): Promise<void> {
  const now = house.now().getTime();
  await openShares(await house.store(), () => now).start({
    name: 'team',
    kind: 'profile',
    target,
    expiresAt: now + 3_600_000,
  });
}

describe('switching on', () => {
  const mine = { command: 'mine', tags: ['work'], enabled: false };
  const lines = async (house: TestHouse, name: string) =>
    (await enable.prepare({ name }).plan(house))?.details.join('\n');

  it('says that a share will reach the server', async () => {
    const house = await open({
      mcpServers: { mine },
      builtin: { memory: { enabled: false, tags: ['work'] } },
    });
    expect(await lines(house, 'mine')).not.toContain('reachable');
    await share(house, 'work');
    expect(await lines(house, 'mine')).toMatch(/every tool of mine becomes reachable .* the share team/);
    expect(await lines(house, 'memory')).toMatch(/every tool of memory becomes reachable/);
  });

  it('of a tool of ours names the way to switch its server on first', async () => {
    const house = await open({ builtin: { memory: false } });
    await expect(enable.prepare({ name: 'memory', tool: 'recall' }).plan(house)).rejects.toMatchObject({
      code: 'UPSTREAM_DISABLED',
      message: expect.stringContaining('thimble server enable memory'),
    });
  });
});

/** What a client is shown does not depend on which server was up, how fast, or in what order. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPlace, fixture } from '../support/program.ts';
import { openStdio } from '../support/stdio-client.ts';

const IDS = ['alpha', 'beta', 'gamma', 'delta', 'epsilon', 'zeta'];

/** A random but repeatable number below a limit. */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % limit;
  };
}

describe('twenty restarts over a warm store', () => {
  it('gives the same tools/list to the byte, with random order, delays and failures', async () => {
    const random = createRandom(7);
    const entryOf = (id: string) => ({
      command: process.execPath,
      args: [
        fixture('echo-server.mjs'),
        '--name',
        id,
        '--tools',
        '5',
        '--mood',
        join(place.dir, `${id}.mood`),
      ],
    });
    await using place = await createPlace({});
    const entries = IDS.map((id) => [id, entryOf(id)] as const);
    await place.write({ mcpServers: Object.fromEntries(entries) });
    const digest = async () => {
      await using client = openStdio(place);
      await client.initialize();
      const list = JSON.stringify(await client.request('tools/list'));
      // Calls start servers that are slow, fail, or end in the middle of a call: none may change what is shown.
      const calls = IDS.map((id) => {
        const name = random(2) === 0 ? `${id}__echo` : `${id}__exit`;
        return client.request('tools/call', { name, arguments: { text: 'x' } }).catch(() => undefined);
      });
      await Promise.race([Promise.all(calls), client.request('tools/list')]);
      const after = JSON.stringify(await client.request('tools/list'));
      expect(after).toBe(list);
      return createHash('sha256').update(list).digest('hex');
    };
    const first = await digest();
    for (let round = 0; round < 20; round++) {
      for (const id of IDS) {
        await writeFile(join(place.dir, `${id}.mood`), random(4) === 0 ? 'fail' : String(random(300)));
      }
      const shuffled = [...entries].sort(() => random(3) - 1);
      await place.write({ mcpServers: Object.fromEntries(shuffled) });
      expect(await digest()).toBe(first);
    }
  });
});

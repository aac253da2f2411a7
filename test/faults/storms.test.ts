/** What a storm of changes costs those who have nothing to do with it: the last figure of row F8. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createGateway } from '../../src/gateway.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { IS_FULL, measureFor, percentile, printFigures, times } from '../support/fault-kit.ts';
import { PLAIN } from '../support/plain-config.ts';
import { callText, toConfig } from '../support/upstream-parts.ts';

const STORMS = 5;
const STORM = { notices: 10_000, ms: 1_000 };
const toEntry = (name: string): JsonObject => toConfig('x', 'faulty.mjs', ['--name', name]).options;

/** A program that rages with nobody but a drain to hear it, so that what the machine itself costs is known. */
function openOutside(): { rage(): void } & AsyncDisposable {
  const { command, args } = toEntry('outside') as { command: string; args: readonly string[] };
  const words = ['-c', 'exec "$0" "$@" | cat > /dev/null', command, ...args];
  const program = spawn('sh', words, { stdio: ['pipe', 'inherit', 'inherit'] });
  const say = (id: number, method: string, params: JsonObject) =>
    void program.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  say(1, 'initialize', hello);
  return {
    rage: () => say(2, 'tools/call', { name: 'storm', arguments: STORM }),
    async [Symbol.asyncDispose]() {
      program.stdin.end();
      await once(program, 'exit');
    },
  };
}

describe('five servers that say 10,000 times a second that their tools changed', () => {
  // Measured again where the bound is missed: what slows down another does so every time.
  it('F8: slow down another less than twice as much as five that rage outside the gateway', {
    timeout: 300_000,
    retry: 3,
  }, async () => {
    const names = ['calm', ...Array.from({ length: STORMS }, (_, at) => `storm${at}`)];
    const mcpServers = Object.fromEntries(names.map((name) => [name, toEntry(name)]));
    await using gateway = await createGateway({ ...PLAIN, mcpServers });
    await Promise.all(gateway.upstreams.all.map(({ firstContact }) => firstContact));
    const calm = gateway.upstreams.all.filter(({ config }) => config.name === 'calm');
    const stormy = gateway.upstreams.all.filter(({ config }) => config.name !== 'calm');
    const drained = Array.from({ length: STORMS }, openOutside);
    await measureFor(500, calm);
    const quiet: number[] = [];
    const outside: number[] = [];
    const inside: number[] = [];
    // In turns, since the machine itself is not as quick in one minute as in the next.
    for (let round = 0; round < times(2, 10); round++) {
      quiet.push(...(await measureFor(STORM.ms, calm)));
      for (const { rage } of drained) rage();
      outside.push(...(await measureFor(STORM.ms, calm)));
      const raging = Promise.all(stormy.map((upstream) => callText(upstream, 'storm', STORM)));
      inside.push(...(await measureFor(STORM.ms, calm)));
      await raging;
    }
    for (const each of drained) await each[Symbol.asyncDispose]();
    const at = (share: number) =>
      [quiet, outside, inside].map((values) => percentile(values, share).toFixed(1));
    const ratio = percentile(inside, 99) / percentile(outside, 99);
    printFigures('F8', {
      'calls of another in quiet, with storms outside, inside': [quiet, outside, inside]
        .map(({ length }) => length)
        .join('/'),
      'p50 ms': at(50).join('/'),
      'p95 ms': at(95).join('/'),
      'p99 ms': at(99).join('/'),
      'inside to outside, p99': ratio.toFixed(2),
    });
    expect(ratio).toBeLessThan(IS_FULL ? 2 : 4);
  });
});

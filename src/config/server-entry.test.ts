import { describe, expect, it } from 'vitest';
import type { UpstreamId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import { toBuiltinUpstreams } from './builtin-servers.ts';
import type { Fault } from './faults.ts';
import { toUpstream } from './server-entry.ts';
import { TEST_PARTS } from './test-parts.ts';

function read(entry: JsonObject) {
  const faults: Fault[] = [];
  const upstream = toUpstream({ id: 'x' as UpstreamId, name: 'x', entry }, TEST_PARTS, faults);
  return { upstream, faults: faults.map(({ path }) => path.join('.')) };
}

describe('what a server may cost', () => {
  it('is left open where the entry says nothing', () => {
    expect(read({ command: 'x' }).upstream).not.toHaveProperty('limits');
  });

  it('is taken from the entry, in the units of the layer below', () => {
    const written = { idleStop: 0, maxInFlight: 8, maxQueue: 64, memoryLimit: 512, toolTimeouts: { a: 5 } };
    expect(read({ command: 'x', ...written }).upstream?.limits).toEqual({
      idleStopMs: 0,
      maxInFlight: 8,
      maxQueue: 64,
      memoryLimitBytes: 536_870_912,
      toolTimeoutsMs: { a: 5 },
    });
  });

  it('is refused where it makes no sense', () => {
    expect(
      read({ command: 'x', idleStop: -1, maxInFlight: 0, maxQueue: 'many', toolTimeouts: { a: 0 } }).faults,
    ).toEqual([
      'mcpServers.x.toolTimeouts.a',
      'mcpServers.x.idleStop',
      'mcpServers.x.maxInFlight',
      'mcpServers.x.maxQueue',
    ]);
  });
});

describe('tools that are switched off', () => {
  it('are taken from the entry by their own names, and left out where there are none', () => {
    expect(read({ command: 'x', disabledTools: ['a', 'b'] }).upstream?.disabledTools).toEqual(['a', 'b']);
    expect(read({ command: 'x', disabledTools: [] }).upstream).not.toHaveProperty('disabledTools');
    expect(read({ command: 'x', disabledTools: 'a' }).faults).toEqual(['mcpServers.x.disabledTools']);
  });

  it('can be said of a built-in server as well', () => {
    const builtins = [{ name: 'memory', summary: 'x' }];
    const [memory] = toBuiltinUpstreams({ memory: { disabledTools: ['forget'] } }, builtins);
    expect(memory).toMatchObject({ id: 'memory', disabledTools: ['forget'] });
    expect(memory?.options).toMatchObject({ options: {} });
  });
});

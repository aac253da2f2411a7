import { describe, expect, it } from 'vitest';
import { MODES } from '../../exposure/registry.ts';
import type { Message } from '../../wire/message.ts';
import { createSwitches, toSwitchNames } from './switches.ts';

const NAMES = toNames('/mcp/activate', 'direct');

function toNames(path: string, mode: string) {
  return toSwitchNames(path, { namespace: 'ns', exposure: { mode } });
}

/** What would be called again after calls such as `+a` and `-a`. */
function replayed(...said: string[]): readonly string[] {
  const switches = createSwitches(NAMES);
  for (const word of said) switches.hear(toCall(word));
  return switches.calls.map(
    (call) => said.find((word) => JSON.stringify(toCall(word)) === JSON.stringify(call)) ?? '?',
  );
}

/** What would be called again after one call with these parameters. */
function kept(params: object): readonly Message[] {
  const switches = createSwitches(NAMES);
  switches.hear({ ...toCall('+a'), params } as Message);
  return switches.calls;
}

function toCall(word: string): Message {
  const name = word.startsWith('+') ? 'ns_activate_server' : 'ns_deactivate_server';
  const params = { name, arguments: { server: word.slice(1) } };
  return { jsonrpc: '2.0', id: 0, method: 'tools/call', params };
}

describe('what a client has switched on', () => {
  it('keeps the order in which it was', () => {
    expect(replayed('+b', '+a', '+b')).toEqual(['+b', '+a']);
    expect(replayed('+b', '+a', '-b', '+b')).toEqual(['+a', '-b', '+b']);
  });

  it('is off when it was switched off by another of its names', () => {
    expect(replayed('+github', '-GitHub')).toEqual(['+github', '-GitHub']);
    expect(replayed('+github', '-GitHub', '+github')).toEqual(['+github', '-GitHub', '+github']);
  });

  it('does not grow with every change', () => {
    const said = Array.from({ length: 50 }, () => ['+a', '-a']).flat();
    expect(replayed(...said)).toEqual(['-a']);
  });

  it('is told by the two tools alone', () => {
    const switches = createSwitches(NAMES);
    const { method, ...call } = toCall('+a') as Message & { method: string; params: object };
    expect(switches.hear({ ...call, method: 'prompts/get' })).toBe(false);
    for (const params of [
      { name: 'ns_server_status', arguments: { server: 'a' } },
      { name: 'ns_activate_server' },
    ])
      expect(switches.hear({ ...call, method, params })).toBe(false);
    expect(switches.calls).toEqual([]);
  });

  it('is said again by the whole name of the tool, which no server can have', () => {
    for (const word of ['activate_server', 'deactivate_server'])
      expect(kept({ name: word, arguments: { server: 'a' } })).toMatchObject([
        { params: { name: `ns_${word}`, arguments: { server: 'a' } } },
      ]);
  });

  it('is said again without what else the call held, but with what a modern client says of itself', () => {
    const info = { 'io.modelcontextprotocol/clientInfo': { name: 'x' } };
    const call = { name: NAMES?.on, arguments: { server: 'a', more: 'x' }, more: 'x' };
    expect(kept({ ...call, _meta: { ...info, progressToken: 5 } })).toEqual([
      { ...toCall('+a'), params: { name: NAMES?.on, arguments: { server: 'a' }, _meta: info } },
    ]);
    expect(kept({ ...call, _meta: { progressToken: 5 } })).toEqual([toCall('+a')]);
  });

  it('is forgotten where it is too long to be kept', () => {
    expect(kept({ name: NAMES?.on, arguments: { server: 'x'.repeat(201) } })).toEqual([]);
    const _meta = { note: 'x'.repeat(100_000) };
    expect(kept({ name: NAMES?.on, arguments: { server: 'a' }, _meta })).toEqual([]);
  });

  it.each([
    ['/mcp/activate', 'direct', true],
    ['/mcp', 'activate', true],
    ['/mcp', 'direct', false],
    ['/mcp', 'auto', false],
    ['/mcp/search', 'activate', false],
    ['/s/activate/mcp', 'activate', false],
  ])('is looked for only where the mode has the tools: %s, where %s is configured', (path, mode, isThere) => {
    expect(toNames(path, mode) !== undefined).toBe(isThere);
    expect(createSwitches(toNames(path, mode)).hear(toCall('+a'))).toBe(isThere);
  });

  it('is switched by names that no server can have', () => {
    const reserved = MODES.flatMap((mode) => mode.reserved('ns'));
    expect(reserved).toEqual(expect.arrayContaining(Object.values(NAMES ?? {})));
  });
});

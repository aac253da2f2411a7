import { describe, expect, it } from 'vitest';
import { MODES } from '../../exposure/registry.ts';
import type { Message } from '../../wire/message.ts';
import { createSwitches, toSwitchNames } from './switches.ts';

const NAMES = toSwitchNames('/mcp', 'ns');

/** What would be called again after calls such as `+a` and `-a`. */
function replayed(...said: string[]): readonly string[] {
  const switches = createSwitches(NAMES);
  for (const word of said) switches.hear(toCall(word));
  return switches.calls.map(
    (call) => said.find((word) => JSON.stringify(toCall(word)) === JSON.stringify(call)) ?? '?',
  );
}

function toCall(word: string): Message {
  const name = word.startsWith('+') ? 'ns_activate_server' : 'ns_deactivate_server';
  const params = { name, arguments: { server: word.slice(1) } };
  return { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
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
      { name: 'activate_server', arguments: { server: 'a' } },
      { name: 'ns_activate_server' },
    ])
      expect(switches.hear({ ...call, method, params })).toBe(false);
    expect(switches.calls).toEqual([]);
  });

  it('is not looked for where a server is shown with names of its own', () => {
    expect(toSwitchNames('/s/other/mcp', 'ns')).toBeUndefined();
    expect(createSwitches(undefined).hear(toCall('+a'))).toBe(false);
  });

  it('is switched by names that no server can have', () => {
    const reserved = MODES.flatMap((mode) => mode.reserved('ns'));
    expect(reserved).toEqual(expect.arrayContaining(Object.values(NAMES ?? {})));
  });
});

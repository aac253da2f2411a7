import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../model/json.ts';
import { complete, isSameServer } from './same-server.ts';

const npx = (...args: string[]): JsonObject => ({ command: 'npx', args });

describe('two entries are the same server', () => {
  it.each<readonly [string, JsonObject, JsonObject]>([
    ['with and without -y', npx('-y', 'x'), npx('x')],
    ['by a path and by a name', npx('x'), { command: '/usr/local/bin/npx', args: ['x'] }],
    ['by way of the shell of Windows', npx('-y', 'x'), { command: 'cmd', args: ['/c', 'npx', '-y', 'x'] }],
    ['as a program of Windows', npx('x'), { command: 'C:\\node\\npx.cmd', args: ['x'] }],
    [
      'with a slash at the end of the address',
      { url: 'https://a.example/mcp' },
      { url: 'https://A.example/mcp/' },
    ],
    ['with a variable that only one has', { ...npx('x'), env: { A: '1' } }, npx('x')],
    ['without arguments', { command: '/opt/a' }, { command: '/opt/a', args: [] }],
  ])('%s', (_how, a, b) => {
    expect(isSameServer(a, b)).toBe(true);
    expect(isSameServer(b, a)).toBe(true);
  });
});

describe('two entries are different servers', () => {
  it.each<readonly [string, JsonObject, JsonObject]>([
    ['of other packages', npx('x'), npx('y')],
    ['of other versions', npx('x@1'), npx('x@2')],
    ['of other programs of one name', { command: '/opt/a/server' }, { command: '/opt/b/server' }],
    ['with other values', { ...npx('x'), env: { A: '1' } }, { ...npx('x'), env: { A: '2' } }],
    ['in other directories', { ...npx('x'), cwd: '/a' }, { ...npx('x'), cwd: '/b' }],
    ['at other addresses', { url: 'https://a.example/mcp' }, { url: 'https://a.example/other' }],
    [
      'for other people',
      { url: 'https://a.example', headers: { Authorization: '1' } },
      { url: 'https://a.example', headers: { Authorization: '2' } },
    ],
    ['of other kinds', npx('x'), { url: 'https://a.example' }],
  ])('%s', (_how, a, b) => {
    expect(isSameServer(a, b)).toBe(false);
  });
});

it('that is switched off is the same only as one that says the same', () => {
  const off = { ...npx('x'), enabled: false };
  expect(isSameServer(off, npx('x'))).toBe(true);
  expect(isSameServer(off, { ...npx('x'), env: { A: '1' } })).toBe(false);
  expect(isSameServer({ ...npx('x'), env: { A: '1' } }, off)).toBe(false);
  expect(complete(off, npx('x'))).toEqual(npx('x'));
});

it('fills in what only the other one says', () => {
  const first = { ...npx('x'), env: { A: '1' } };
  expect(complete(first, { ...npx('x'), env: { A: '9', B: '2' } })).toEqual({
    ...first,
    env: { A: '1', B: '2' },
  });
});

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration look like templates
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../model/json.ts';
import { claudeCode } from './known/claude-code/client.ts';
import { codex } from './known/codex/client.ts';
import { continueDev } from './known/continue/client.ts';
import { cursor } from './known/cursor/client.ts';
import { gemini } from './known/gemini/client.ts';
import { goose } from './known/goose/client.ts';
import { opencode } from './known/opencode/client.ts';
import { rooCode } from './known/roo-code/client.ts';

describe('an entry of a client in our own form', () => {
  it('keeps how long things may take, in milliseconds, and the tools that are off', () => {
    const local = { command: 'x' };
    expect(goose.read({ cmd: 'x', timeout: 300 }).entry).toEqual({ ...local, timeout: 300_000 });
    expect(gemini.read({ ...local, timeout: 5_000, excludeTools: ['rm'] }).entry).toEqual({
      ...local,
      timeout: 5_000,
      disabledTools: ['rm'],
    });
    expect(rooCode.read({ ...local, timeout: 3.5, disabledTools: [] }).entry).toEqual({
      ...local,
      timeout: 3_500,
    });
    const times = { startup_timeout_sec: 20, tool_timeout_sec: 90, disabled_tools: ['a', 'b'] };
    expect(codex.read({ ...local, ...times }).entry).toEqual({
      ...local,
      timeout: 90_000,
      startTimeout: 20_000,
      disabledTools: ['a', 'b'],
    });
    expect(continueDev.read({ ...local, connectionTimeout: 2_000 }).entry).toEqual({
      ...local,
      startTimeout: 2_000,
    });
  });

  it.each([0, -1, 'soon', 0.5, 1e300, null])('leaves out a time that is none: %j', (timeout) => {
    const { entry, leftOut = [] } = claudeCode.read({ command: 'x', timeout });
    expect(entry).toEqual({ command: 'x' });
    expect(leftOut).toEqual(timeout === null ? [] : ['timeout']);
  });

  it.each<readonly [string, { read(native: JsonObject): object }, JsonObject, readonly string[]]>([
    ['its own members', cursor, { command: 'x', envFile: '.env', trust: true }, ['envFile', 'trust']],
    ['what says nothing', cursor, { command: 'x', autoApprove: [], extra: {}, note: '', trust: false }, []],
    [
      'what belongs to another way to reach it',
      cursor,
      { command: 'x', url: 'https://a.example', headers: { A: 'b' } },
      ['url', 'headers'],
    ],
    ['the second address', gemini, { httpUrl: 'https://a.example', url: 'https://b.example' }, ['url']],
    [
      'what stands beside its headers',
      continueDev,
      {
        name: 'a',
        url: 'https://a.example',
        requestOptions: { headers: { A: 'b', C: ['d'] }, verifySsl: true },
      },
      ['requestOptions.verifySsl', 'requestOptions.headers.C'],
    ],
    [
      'what it needs no name for',
      goose,
      { name: 'a', type: 'stdio', cmd: 'x', args: [], env_keys: ['A'], enabled: true, timeout: 9 },
      [],
    ],
    ['a variable that is no text', cursor, { command: 'x', env: { A: 1, B: { c: 'd' } } }, ['env.B']],
    [
      'what is not of the kind it should be',
      cursor,
      { command: 'x', args: 'a b', cwd: 3, env: 'A=b' },
      ['args', 'cwd', 'env'],
    ],
    ['headers that are none', cursor, { url: 'https://a.example', headers: 'A: b' }, ['headers']],
    [
      'headers within that are none',
      continueDev,
      { url: 'https://a.example', requestOptions: { headers: 'A: b' } },
      ['requestOptions.headers'],
    ],
    ['a switch that is none', rooCode, { command: 'x', disabled: 'yes' }, ['disabled']],
    ['variables of an address', codex, { url: 'https://a.example', env_vars: ['A'] }, ['env_vars']],
    [
      'headers of a program',
      codex,
      { command: 'x', bearer_token_env_var: 'A', env_http_headers: { B: 'C' } },
      ['bearer_token_env_var', 'env_http_headers'],
    ],
    [
      'names that are no texts',
      codex,
      { command: 'x', args: ['a', { b: 'c' }], env_vars: ['A', { name: 'B', source: 'remote' }] },
      ['args.1', 'env_vars.1'],
    ],
    ['nothing but such names', goose, { cmd: 'x', env_keys: [{ name: 'A' }] }, ['env_keys']],
    ['tools that are no names', codex, { command: 'x', disabled_tools: ['a', ['b']] }, ['disabled_tools.1']],
  ])('says by name what it leaves out: %s', (_what, client, native, leftOut) => {
    const read = client.read(native);
    expect('leftOut' in read ? read.leftOut : []).toEqual(leftOut);
  });

  it('takes only texts, numbers and switches for texts', () => {
    const native = {
      command: 'x',
      args: ['a', { b: 'c' }, 8080, true, null],
      env_vars: [{ name: 'B' }, 'A'],
    };
    expect(codex.read(native).entry).toEqual({
      command: 'x',
      args: ['a', '8080', 'true'],
      env: { A: '${env:A}' },
    });
    expect(opencode.read({ command: [{ a: 'b' }, 'x'] }).entry).toBeUndefined();
  });

  it('reads nothing from a member without a name', () => {
    expect(cursor.read({ '': 'https://a.example' }).entry).toBeUndefined();
    expect(cursor.read({ command: 'x', '': ['rm'] })).toEqual({
      entry: { command: 'x' },
      enabled: true,
      leftOut: [''],
    });
  });
});

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFolder } from '../../../../test/support/read-folder.ts';
import { openConfigFile } from '../../../config/config-file.ts';
import { toPathText } from '../../../config/faults.ts';
import { CONFIG_PARTS } from '../../../gateway.ts';
import { runOperationContract } from '../../operation.contract.ts';
import { toPlanLines } from '../../operation.ts';
import { openTestHouse } from '../../test-house.contract.ts';
import { findKey, listKeys } from './keys.ts';
import { CONFIG } from './operations.ts';
import { openConfigured, prepare, readConfigText } from './test-parts.contract.ts';

runOperationContract('config', CONFIG);

const TEXT = `{
  // The port of the house.
  "http": { "port": 7500 },
  "mcpServers": {
    "github": { "command": "gh", "args": ["--token", "heron-lake-7"], "env": { "GH_TOKEN": "wren-5555", "LEVEL": "info" } },
    "my server": { "url": "https://a.example/mcp", "tags": ["x"] },
    "a.b": { "command": "ab", "timeout": 5 }
  }
}
`;

describe('keys', () => {
  it('finds what people write, whatever a server is called', () => {
    const document = { mcpServers: { 'a.b': {}, 'my server': {} } };
    expect(findKey('http.port', {}).path).toEqual(['http', 'port']);
    expect(findKey('mcpServers.a.b.timeout', document).path).toEqual(['mcpServers', 'a.b', 'timeout']);
    expect(findKey('mcpServers["my server"].env.X', document).path).toEqual([
      'mcpServers',
      'my server',
      'env',
      'X',
    ]);
    expect(findKey('mcpServers.x.args[1]', document).path).toEqual(['mcpServers', 'x', 'args', 1]);
    expect(findKey('builtin.storage.quotaMb', {}).path).toEqual(['builtin', 'storage', 'quotaMb']);
  });

  it('reads back what it writes', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, maxLength: 40 }),
        fc.string({ minLength: 1, maxLength: 40 }),
        (server, variable) => {
          const path = ['mcpServers', server, 'env', variable];
          expect(findKey(toPathText(path), { mcpServers: { [server]: {} } }).path).toEqual(path);
        },
      ),
    );
  });

  it.each([
    ['htp.port', 'did you mean "http"?'],
    ['http.prot', 'did you mean "http.port"?'],
    ['exposure.moed', 'did you mean "exposure.mode"?'],
    ['mcpServers.x.comand', 'did you mean "mcpServers.x.command"?'],
    ['namespace.x', 'there is nothing'],
    ['__proto__', 'there are'],
  ])('suggests something for %s', (key, words) => {
    expect(() => findKey(key, {})).toThrow(
      expect.objectContaining({ code: 'NAME_UNKNOWN', message: expect.stringContaining(words) }),
    );
  });

  it.each(['', '.', 'a..b', 'http.', '[', 'a["b', ' . ', 'x'.repeat(600)])('takes %j for no key', (key) => {
    expect(() => findKey(key, {})).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/INVALID_PARAMS|NAME_UNKNOWN/) }),
    );
  });

  it('lists every one with what it is for', () => {
    const keys = new Map(listKeys().map((key) => [key.text, key]));
    expect(keys.get('http.port')).toMatchObject({
      default: 7420,
      description: expect.stringContaining('port'),
    });
    expect(keys.get('mcpServers.<name>.timeout')).toMatchObject({ default: 120_000 });
    expect(keys.get('builtin.storage.bucket')?.description).toBeTruthy();
    expect(
      [...keys.values()].filter(({ description }) => description === undefined).map(({ text }) => text),
    ).toEqual([]);
  });
});

describe('reading settings', () => {
  it('tells what is set from what holds otherwise', async () => {
    await using house = await openConfigured(TEXT);
    const port = await prepare('get', { key: 'http.port' }).run(house);
    expect(port.output).toMatchObject({ key: 'http.port', value: 7500, set: true });
    const host = await prepare('get', { key: 'http.host' }).run(house);
    expect(host.output).toMatchObject({ value: '127.0.0.1', set: false });
    expect(host.text).toContain('http.host: 127.0.0.1 (default)');
    const whole = await prepare('get', { key: 'http' }).run(house);
    expect(whole.output['value']).toEqual({ host: '127.0.0.1', port: 7500 });
    const exposure = await prepare('get', { key: 'exposure' }).run(house);
    expect(exposure.output['value']).toMatchObject({ mode: 'auto', search: { learn: true } });
    const none = await prepare('get', { key: 'mcpServers.github.cwd' }).run(house);
    expect(none.text).toContain('not set');
  });

  it('shows no secret, one by one or all at once', async () => {
    await using house = await openConfigured(TEXT);
    for (const key of [
      'mcpServers',
      'mcpServers.github',
      'mcpServers.github.env',
      'mcpServers.github.env.GH_TOKEN',
      'mcpServers.github.args',
      'mcpServers.github.args[1]',
    ]) {
      const { text, output } = await prepare('get', { key }).run(house);
      expect(text + JSON.stringify(output)).not.toMatch(/heron-lake|wren-5555/);
    }
    const { text } = await prepare('list', { all: true }).run(house);
    expect(text).not.toMatch(/heron-lake|wren-5555/);
    expect(text).toContain('mcpServers.github.env.GH_TOKEN = (hidden)');
  });

  it('lists what is set, or all there is', async () => {
    await using house = await openConfigured(TEXT);
    const { output, text } = await prepare('list').run(house);
    expect(text).toContain('http.port = 7500');
    expect(text).toContain('mcpServers["a.b"].timeout = 5');
    expect(JSON.stringify(output)).not.toContain('http.host');
    const all = await prepare('list', { all: true }).run(house);
    expect(all.text).toContain('http.host = 127.0.0.1 (default): The address to listen on.');
    await using empty = await openTestHouse();
    expect((await prepare('list').run(empty)).text).toContain('There is no configuration yet');
  });

  it('suggests a server for a wrong name', async () => {
    await using house = await openConfigured(TEXT);
    for (const verb of ['get', 'unset'])
      await expect(prepare(verb, { key: 'mcpServers.githb.command' }).run(house)).rejects.toMatchObject({
        code: 'NAME_UNKNOWN',
        message: expect.stringContaining('github'),
      });
  });
});

describe('changing settings', () => {
  it('reads a value as the schema wants it, and keeps comments', async () => {
    await using house = await openConfigured(TEXT);
    const { output } = await prepare('set', { key: 'http.port', value: '8000' }).run(house);
    expect(output).toMatchObject({ value: 8000, changed: true });
    await prepare('set', { key: 'exposure.mode', value: 'search' }).run(house);
    await prepare('set', { key: 'exposure.search.learn', value: 'false' }).run(house);
    await prepare('set', { key: 'mcpServers["my server"].tags', value: '["a","b"]' }).run(house);
    await prepare('set', { key: 'mcpServers.github.env.LEVEL', value: '5' }).run(house);
    const text = await readConfigText(house);
    expect(text).toContain('// The port of the house.');
    const { value } = await house.config.read();
    expect(value).toMatchObject({
      http: { port: 8000 },
      exposure: { mode: 'search', search: { learn: false } },
      mcpServers: { github: { env: { LEVEL: '5' } }, 'my server': { tags: ['a', 'b'] } },
    });
    expect((await prepare('set', { key: 'http.port', value: '8000' }).run(house)).text).toContain(
      'Nothing to do',
    );
  });

  it.each([
    ['http.port', '99999', 'at most 65535'],
    ['http.port', 'many', 'expected'],
    ['exposure.mode', 'serch', 'did you mean "search"'],
    ['mcpServers.github', '{"comand":"x"}', 'did you mean "command"'],
    ['builtin', '[]', 'expected true, false'],
  ])('refuses %s = %s in the words of the schema, and writes nothing', async (key, value, words) => {
    await using house = await openConfigured(TEXT);
    await expect(prepare('set', { key, value }).run(house)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(words),
    });
    expect(await readConfigText(house)).toBe(TEXT);
  });

  it.each([
    [
      'exposure.mode',
      'serch',
      /nothing was changed\. exposure\.mode: expected one of .*did you mean "search"/,
    ],
    ['http.port', 'abc', /nothing was changed\. http\.port: expected a number/],
  ])(
    'says of %s what it takes, and names no line of a file that was not written',
    async (key, value, says) => {
      await using house = await openConfigured(TEXT);
      const message = await prepare('set', { key, value })
        .run(house)
        .then(String, (error: Error) => error.message);
      expect(message).toMatch(says);
      expect(message).not.toMatch(/:\d+:\d+/);
    },
  );

  it('seals what is secret and writes a reference', async () => {
    await using house = await openConfigured(TEXT);
    await prepare('set', { key: 'mcpServers.github.env.API_KEY', value: 'kestrel-99' }).run(house);
    await prepare('set', { key: 'mcpServers.github.args[1]', value: 'osprey-88' }).run(house);
    await prepare('set', {
      key: 'mcpServers["my server"].headers',
      value: '{"Authorization":"Bearer egret-77"}',
    }).run(house);
    await prepare('set', { key: 'builtin.storage.secretAccessKey', value: 'godwit-66' }).run(house);
    const { value } = await house.config.read();
    expect(value).toMatchObject({
      mcpServers: {
        github: {
          args: ['--token', `\${secret:github.token}`],
          env: { API_KEY: `\${secret:github.API_KEY}` },
        },
        'my server': { headers: { Authorization: `Bearer \${secret:my-server.Authorization}` } },
      },
      builtin: { storage: { secretAccessKey: `\${secret:storage.secretAccessKey}` } },
    });
    expect([...(await (await house.secrets()).all()).values()].sort()).toEqual([
      'egret-77',
      'godwit-66',
      'kestrel-99',
      'osprey-88',
    ]);
    expect(await readFolder(house.home)).not.toMatch(/kestrel-99|osprey-88|egret-77|godwit-66/);
  });

  it('seals what is secret in a whole section as well', async () => {
    await using house = await openConfigured('{}');
    const servers = { a: { command: 'a', env: { API_KEY: 'kestrel-99', LEVEL: 'info' } } };
    const prepared = prepare('set', { key: 'mcpServers', value: JSON.stringify(servers) });
    expect(JSON.stringify(await prepared.plan(house))).not.toContain('kestrel');
    await prepared.run(house);
    await prepare('set', { key: 'builtin', value: '{"storage":{"secretAccessKey":"godwit-66"}}' }).run(house);
    expect((await house.config.read()).value).toEqual({
      mcpServers: { a: { command: 'a', env: { API_KEY: `\${secret:a.API_KEY}`, LEVEL: 'info' } } },
      builtin: { storage: { secretAccessKey: `\${secret:storage.secretAccessKey}` } },
    });
    expect(await readFolder(house.home)).not.toMatch(/kestrel-99|godwit-66/);
  });

  it('forgets a sealed value that nothing refers to any more', async () => {
    await using house = await openConfigured(TEXT);
    const key = 'mcpServers.github.env.API_KEY';
    await prepare('set', { key, value: 'kestrel-99' }).run(house);
    await prepare('set', { key, value: 'kestrel-98' }).run(house);
    expect([...(await (await house.secrets()).all()).values()]).toEqual(['kestrel-98']);
    await prepare('unset', { key }).run(house);
    expect(await (await house.secrets()).names()).toEqual([]);
  });

  it('takes a setting away, once', async () => {
    await using house = await openConfigured(TEXT);
    expect((await prepare('unset', { key: 'http.port' }).run(house)).text).toContain('now 7420 holds');
    expect((await prepare('unset', { key: 'http.port' }).run(house)).text).toContain('was not set');
    expect((await prepare('unset', { key: 'exposure.search.learn' }).run(house)).output['changed']).toBe(
      false,
    );
    await prepare('unset', { key: 'mcpServers.github' }).run(house);
    expect((await house.config.read()).config.upstreams.map(({ name }) => name)).not.toContain('github');
  });

  it('makes room in a section that only said yes, and not in one that said no', async () => {
    await using house = await openConfigured('{ "builtin": true }');
    await prepare('set', { key: 'builtin.storage.quotaMb', value: '5' }).run(house);
    expect((await house.config.read()).value).toEqual({ builtin: { storage: { quotaMb: 5 } } });
    await using off = await openConfigured('{ "builtin": false }');
    await expect(
      prepare('set', { key: 'builtin.storage.quotaMb', value: '5' }).run(off),
    ).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
  });

  it('writes nothing but servers into a file that other programs read', async () => {
    await using opened = await openConfigured();
    const { cwd, home } = opened;
    await writeFile(join(cwd, '.mcp.json'), '{ "mcpServers": { "a": { "command": "a" } } }');
    const config = openConfigFile({ cwd, home, explicit: '.mcp.json' }, CONFIG_PARTS);
    const house = { ...opened, config };
    await expect(prepare('set', { key: 'http.port', value: '1' }).run(house)).rejects.toMatchObject({
      code: 'FILE_REFUSED',
      message: expect.stringMatching(/thimble config migrate \S+\.mcp\.json/),
    });
    await prepare('set', { key: 'mcpServers.a.timeout', value: '9' }).run(house);
    expect((await house.config.read()).value).toEqual({ mcpServers: { a: { command: 'a', timeout: 9 } } });
  });

  it('says which file could not be written, and what to do', async () => {
    await using house = await openConfigured(TEXT);
    const edit = () => Promise.reject(Object.assign(new Error('mkdir'), { code: 'ENOENT' }));
    const refused = prepare('set', { key: 'http.port', value: '1' }).run({
      ...house,
      config: { ...house.config, edit },
    });
    await expect(refused).rejects.toMatchObject({
      code: 'FILE_REFUSED',
      message: expect.stringMatching(/thimble\.jsonc cannot be written \(ENOENT\).*--home/),
    });
  });

  it('asks a person about what is run, reached or opened, and about nothing else', async () => {
    await using house = await openConfigured(TEXT);
    const plan = (key: string, value?: string) =>
      prepare(value === undefined ? 'unset' : 'set', { key, ...(value !== undefined && { value }) }).plan(
        house,
      );
    expect(await plan('exposure.mode', 'search')).toBeUndefined();
    expect(await plan('mcpServers.github.timeout', '5')).toBeUndefined();
    expect(await plan('mcpServers.github.disabled', 'true')).toBeUndefined();
    expect(await plan('builtin.blog', 'false')).toBeUndefined();
    expect(await plan('mcpServers.github.command', 'gh')).toBeUndefined();
    expect(await plan('http.host', '0.0.0.0')).toBeDefined();
    expect(await plan('http.port', '8000')).toBeDefined();
    expect(await plan('http.port')).toBeDefined();
    expect(await plan('http')).toBeDefined();
    expect(await plan('manage.enabled', 'false')).toBeDefined();
    expect(await plan('manage', '{"enabled":false}')).toBeDefined();
    expect(await plan('mcpServers.github.disabled', 'false')).toBeDefined();
    expect(await plan('mcpServers.new', '{"command":"sh"}')).toBeDefined();
    expect(await plan('builtin.storage.endpoint', 'https://elsewhere.example')).toBeDefined();
    const asked = await plan('mcpServers.github.env.API_KEY', 'kestrel-99');
    const lines = asked ? toPlanLines(asked).join('\n') : '';
    expect(lines).toContain(`"API_KEY": "\${secret:github.API_KEY}"`);
    expect(lines).not.toMatch(/kestrel|wren-5555|heron/);
    expect(await (await house.secrets()).names()).toEqual([]);
    expect(await readConfigText(house)).toBe(TEXT);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../errors/gateway-error.ts';
import { CONFIG_DEFAULTS } from './config.ts';
import { createDefaultConfig, parseConfig } from './parse.ts';
import { TEST_PARTS } from './test-parts.ts';

const parse = (text: string) => parseConfig(text, 'thimble.jsonc', TEST_PARTS);

/** The faults of a text, each as `line:column path: problem`. */
function faultsOf(text: string): string[] {
  try {
    parse(text);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect(error.code).toBe('CONFIG_INVALID');
    const [, ...lines] = error.message.split('\n');
    return lines.map((line) => line.replace(/^thimble\.jsonc:/, ''));
  }
  return [];
}

describe('parseConfig', () => {
  it('takes entries as clients wrote them, with what only they understand', () => {
    const text = '{ "mcpServers": { "a": { "command": "x", "autoApprove": ["*"], "description": "mine" } } }';
    expect(parseConfig(text, 'x.json', TEST_PARTS).upstreams[0]?.options).not.toHaveProperty('autoApprove');
  });

  it('gives the defaults for an empty object', () => {
    expect(parse('{}')).toEqual(CONFIG_DEFAULTS);
    expect(createDefaultConfig(TEST_PARTS)).toEqual(CONFIG_DEFAULTS);
  });

  it('reads comments, trailing commas and a byte order mark', () => {
    const config = parse('\uFEFF{\n// why\n"namespace": "crow", /* and */ "http": { "port": 1, },\n}');
    expect(config).toMatchObject({ namespace: 'crow', http: { host: '127.0.0.1', port: 1 } });
  });

  it('reads every section', () => {
    const config = parse(`{ "$schema": "x", "exposure": { "mode": "search" }, "names": { "maxLength": 64 },
      "builtin": false, "manage": { "enabled": false } }`);
    expect(config).toMatchObject({
      exposure: { mode: 'search' },
      names: { maxLength: 64 },
      manage: { enabled: false },
    });
  });

  it('reads servers as clients write them, sorted by id', () => {
    const { upstreams } = parse(`{ "mcpServers": {
      "My Web": { "type": "streamable-http", "url": "https://x", "disabled": true },
      "git": { "command": "npx", "args": ["-y", "x"], "env": { "TOKEN": "\${env:TOKEN}" }, "tags": ["work"],
        "timeout": 5, "startTimeout": 6, "era": "modern" } } }`);
    expect(upstreams).toEqual([
      {
        id: 'git',
        name: 'git',
        kind: 'stdio',
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of the configuration
        options: { command: 'npx', args: ['-y', 'x'], env: { TOKEN: '${env:TOKEN}' } },
        tags: ['work'],
        enabled: true,
        timeoutMs: 5,
        startTimeoutMs: 6,
        era: 'modern',
        interactive: 'shared',
      },
      {
        id: 'my-web',
        name: 'My Web',
        kind: 'http',
        options: { url: 'https://x', headers: {} },
        tags: [],
        enabled: false,
        timeoutMs: 120_000,
        startTimeoutMs: 60_000,
        era: undefined,
        interactive: 'shared',
      },
    ]);
  });

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'takes %s for a name like any other',
    (name) => {
      const { upstreams } = parse(
        `{ "mcpServers": { "${name}": { "command": "x", "env": { "${name}": "y" } } } }`,
      );
      expect(upstreams.map((upstream) => upstream.name)).toEqual([name]);
      expect(Object.getPrototypeOf(upstreams[0]!.options)).toBe(Object.prototype);
      expect(({} as Record<string, unknown>)['command']).toBeUndefined();
    },
  );

  it('names every fault with its place, its path and the nearest valid key', () => {
    const text = `{
  "nmespace": "x",
  "http": { "prt": 1, "host": 5 },
  "exposure": { "mode": "serch" },
  "mcpServers": {
    "my files": { "comand": "x" },
    "a": { "command": "x", "arg": [], "args": "y", "timeout": -1 },
    "b": { "type": "htp", "url": "https://x" },
    "c": 5
  }
}`;
    expect(faultsOf(text)).toEqual([
      '2:3 nmespace: unknown key (did you mean "namespace"?)',
      '3:13 http.prt: unknown key (did you mean "port"?)',
      '3:23 http.host: expected a string, found a number',
      '4:17 exposure.mode: expected one of "auto", "direct", "search", "category" (did you mean "search"?)',
      '6:19 mcpServers["my files"].comand: unknown key (did you mean "command"?)',
      '7:28 mcpServers.a.arg: unknown key (did you mean "args"?)',
      '7:39 mcpServers.a.args: expected an array, found a string',
      '7:52 mcpServers.a.timeout: expected at least 1',
      '8:12 mcpServers.b.type: expected one of "stdio", "http", "sse" (did you mean "http"?)',
      '9:5 mcpServers.c: expected an object that says how to reach the server',
    ]);
  });

  it('leaves the form of a text with references to whoever resolves them', () => {
    const entry = (url: string) => `{ "mcpServers": { "a": { "url": "${url}" } } }`;
    expect(faultsOf(entry('nowhere'))).toHaveLength(1);
    expect(parse(entry('https://$' + '{env:HOST}/mcp')).upstreams[0]?.options).toEqual({
      url: 'https://$' + '{env:HOST}/mcp',
    });
  });

  it('says that a required option is missing', () => {
    expect(faultsOf('{ "mcpServers": { "a": { "type": "http" } } }')).toEqual([
      '1:19 mcpServers.a.url: is required',
    ]);
  });

  it.each([
    ['[]', '1:1 expected an object, found an array'],
    ['', '1:1 the file is empty; the least it can hold is {}'],
    [' \n', '1:1 the file is empty; the least it can hold is {}'],
    ['// soon', '1:8 value expected'],
    ['{ "http": ', '1:11 value expected'],
    ['{\n "a" 1 }', '2:6 colon expected'],
    ['{ "http": {}, "http": {} }', '1:15 "http" is given twice'],
    ['{ "mcpServers": [] }', '1:3 mcpServers: expected an object with one member for each server'],
    [
      '{ "builtin": 3 }',
      '1:3 builtin: expected true, false, or an object with true, false or options for each server',
    ],
  ])('says of %j where and what is wrong', (text, fault) => {
    expect(faultsOf(text)).toContain(fault);
  });

  it.each([
    [
      '{ "command": "x", "url": "https://x" }',
      '.url: "command" and "url" exclude each other; give one of the two',
    ],
    ['{ "command": "x", "headers": {} }', '.headers: is for servers of type "http", not "stdio"'],
    ['{ "command": 5 }', '.command: expected a string, found a number'],
    ['{ "url": null }', '.url: expected a string, found null'],
    ['{ "url": "x" }', '.url: expected an address such as https://example.com/mcp'],
    ['{ "command": "" }', '.command: expected some text, found none'],
    [
      '{ "tags": [] }',
      ': does not say how to reach the server: expected "command" (stdio) or "url" (http or sse)',
    ],
    ['{ "type": "buitin" }', '.type: expected one of "stdio", "http", "sse"'],
    ['{ "command": "x", "timeout": 1e300 }', '.timeout: expected at most 2147483647'],
    ['{ "command": "x", "timeout": 1e999 }', '.timeout: expected a number, found one too large to read'],
    ['{ "command": "x", "timeout": 1.5 }', '.timeout: expected a whole number, found a fraction'],
  ])('says of the server %j what is wrong with it, once and in plain words', (entry, fault) => {
    const faults = faultsOf(`{ "mcpServers": { "a": ${entry} } }`);
    expect(faults.map((line) => line.replace(/^\d+:\d+ mcpServers\.a/, ''))).toEqual([fault]);
  });

  it('tells each fault of a text that ends too early once', () => {
    expect(faultsOf('{"mcpServers":{')).toEqual(['1:16 close brace expected']);
  });

  it('accepts servers hosted by a program, without offering them', () => {
    const { upstreams } = parse('{ "mcpServers": { "a": { "type": "builtin", "server": "x" } } }');
    expect(upstreams).toMatchObject([{ kind: 'builtin', options: { server: 'x' } }]);
  });

  it('refuses a document that is nested without end', () => {
    expect(faultsOf('['.repeat(100_000))).toEqual(['1:101 nested deeper than 100 levels']);
    expect(faultsOf('{"a":'.repeat(100_000))).toEqual(['1:501 nested deeper than 100 levels']);
  });

  it('never repeats a value, which may be a secret', () => {
    const text =
      '{ "mcpServers": { "a": { "command": "x", "env": "s3cret", "era": "s3cret" } }, "http": "s3cret" }';
    expect(faultsOf(text).join()).not.toContain('s3cret');
  });

  it('fails with nothing but a typed error, whatever the text holds', () => {
    const entry = fc.oneof(
      fc.jsonValue(),
      fc.record(
        { command: fc.jsonValue(), tags: fc.jsonValue(), type: fc.jsonValue() },
        { requiredKeys: [] },
      ),
      fc.record({ command: fc.string({ minLength: 1 }) }),
    );
    const config = fc.oneof(
      fc.jsonValue(),
      fc.record(
        { mcpServers: fc.dictionary(fc.string(), entry), http: fc.jsonValue(), builtin: fc.jsonValue() },
        { requiredKeys: [] },
      ),
    );
    const texts = fc.oneof(
      config.map((value) => JSON.stringify(value)),
      fc.tuple(config, fc.nat()).map(([value, cut]) => JSON.stringify(value).slice(0, cut)),
      fc.string(),
    );
    fc.assert(
      fc.property(texts, (text) => {
        faultsOf(text);
      }),
      { numRuns: 500 },
    );
  });
});

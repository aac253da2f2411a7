import { describe, expect, it } from 'vitest';
import { toModesOff, withOverrides } from './overrides.ts';
import { parseConfig } from './parse.ts';
import { TEST_PARTS } from './test-parts.ts';

const PARTS = {
  ...TEST_PARTS,
  builtins: [
    { name: 'memory', summary: 'x' },
    { name: 'blog', summary: 'y' },
  ],
};
const parse = (value: object) => parseConfig(JSON.stringify(value), 'thimble.json', PARTS);

describe('what the environment says', () => {
  it('switches category mode off, with a sentence for both its addresses', () => {
    const config = withOverrides(parse({}), { THIMBLE_DISABLE_ROUTER: '1' });
    expect([...toModesOff(config).keys()]).toEqual(['category', 'router']);
    expect(toModesOff(config).get('router')).toMatch(
      /\/router\/mcp is switched off by .*THIMBLE_DISABLE_ROUTER/,
    );
    expect(toModesOff(withOverrides(parse({}), {})).size).toBe(0);
    expect(toModesOff(parse({ exposure: { category: { enabled: false } } })).size).toBe(2);
  });

  it('cannot switch off the mode that is the default', () => {
    const config = parse({ exposure: { mode: 'category' } });
    expect(() => withOverrides(config, { THIMBLE_DISABLE_ROUTER: '1' })).toThrow(
      'exposure.mode names "category"',
    );
  });

  it('names the default server, and wins over the configuration', () => {
    const config = parse({ exposure: { activate: { default: 'memory' } } });
    expect(withOverrides(config, { THIMBLE_DEFAULT_SERVER: 'blog' }).exposure.activate.default).toBe('blog');
    expect(withOverrides(config, {}).exposure.activate.default).toBe('memory');
  });

  it('cannot name a server that is not there', () => {
    expect(() => withOverrides(parse({}), { THIMBLE_DEFAULT_SERVER: 'memroy' })).toThrow(
      'THIMBLE_DEFAULT_SERVER names "memroy", but no server is called so (did you mean "memory"?); the servers are blog, memory',
    );
  });
});

describe('what the configuration says', () => {
  it('names a default server that is there and switched on', () => {
    expect(() =>
      parse({ builtin: { memory: false }, exposure: { activate: { default: 'memory' } } }),
    ).toThrow('exposure.activate.default: names "memory", but no server is called so; the servers are blog');
    const mcpServers = { files: { command: 'x', enabled: false } };
    const both = { mcpServers, exposure: { activate: { default: 'files' } } };
    expect(() => parse(both)).toThrow('exposure.activate.default: names "files", which is switched off');
  });

  it('chooses no mode that it switches off', () => {
    const exposure = { mode: 'category', category: { enabled: false } };
    expect(() => parse({ exposure })).toThrow('exposure.mode: names "category", which is switched off');
  });

  it('is not blamed for a default server whose entry has a fault of its own', () => {
    const faulty = { mcpServers: { files: { command: 1 } }, exposure: { activate: { default: 'files' } } };
    expect(() => parse(faulty)).toThrow('mcpServers.files.command');
    expect(() => parse(faulty)).not.toThrow('exposure.activate.default');
  });
});

describe('the built-in servers', () => {
  it('are on unless they are switched off, all or one by one', () => {
    const ids = (value: object) => parse(value).upstreams.map(({ id }) => id);
    expect(ids({})).toEqual(['blog', 'memory']);
    expect(ids({ builtin: false })).toEqual([]);
    expect(ids({ builtin: { blog: false } })).toEqual(['memory']);
    expect(ids({ builtin: { blog: { enabled: false } } })).toEqual(['memory']);
  });

  it('keep their ids: a server of the same name gets another, and its own when ours is off', () => {
    const mcpServers = { memory: { command: 'x' } };
    const [, , other] = parse({ mcpServers }).upstreams;
    expect(other).toMatchObject({ name: 'memory', kind: 'stdio' });
    expect(other?.id).toMatch(/^memory-[0-9a-f]{4}$/);
    const [alone] = parse({ mcpServers, builtin: false }).upstreams;
    expect(alone?.id).toBe('memory');
  });

  it('can carry tags, and a wrong key is told with the nearest', () => {
    expect(parse({ builtin: { blog: { tags: ['work'] } } }).upstreams[0]).toMatchObject({
      tags: ['work'],
      core: true,
    });
    expect(() => parse({ builtin: { blgo: false } })).toThrow(
      'builtin.blgo: unknown key (did you mean "blog"?)',
    );
  });
});

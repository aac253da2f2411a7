// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration look like templates
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../model/json.ts';
import { toUpstreamConfig } from '../../servers/probe.ts';
import { toCommandLine, toLine } from '../../shown/command-line.ts';
import { buildEntry, toMissingError } from './build-entry.ts';
import { mergeEntries } from './merge-entries.ts';
import { parseFrom, toRecipes } from './recipe.ts';
import { parseServer } from './registry/server-json.ts';

const recipesOf = (more: JsonObject) => {
  const server = parseServer({ name: 'a.b/c', version: '1.0.0', description: 'd', ...more });
  return server ? toRecipes(server) : [];
};
const recipeOf = (given: JsonObject) => {
  const [recipe] = recipesOf({ packages: [{ transport: { type: 'stdio' }, ...given }] });
  if (!recipe) throw new Error('there is no recipe');
  return recipe;
};
const npm = (more: JsonObject = {}) =>
  recipeOf({ registryType: 'npm', identifier: '@acme/x', version: '1.2.3', ...more });
const build = (recipe: ReturnType<typeof recipeOf>, values: Record<string, string> = {}) =>
  buildEntry(recipe, { values });

describe('a package becomes an entry', () => {
  it.each<[string, JsonObject, JsonObject]>([
    [
      'npm',
      { registryType: 'npm', identifier: '@acme/x', version: '1.2.3' },
      { command: 'npx', args: ['-y', '@acme/x@1.2.3'] },
    ],
    [
      'pypi',
      { registryType: 'pypi', identifier: 'acme-x', version: '1.2.3' },
      { command: 'uvx', args: ['acme-x==1.2.3'] },
    ],
    [
      'oci',
      { registryType: 'oci', identifier: 'ghcr.io/acme/x:1.2.3' },
      { command: 'docker', args: ['run', '-i', '--rm', 'ghcr.io/acme/x:1.2.3'] },
    ],
    [
      'oci by version',
      { registryType: 'oci', identifier: 'acme/x', version: '1' },
      { command: 'docker', args: ['run', '-i', '--rm', 'acme/x:1'] },
    ],
    [
      'nuget',
      { registryType: 'nuget', identifier: 'Acme.X', version: '1.2.3' },
      { command: 'dnx', args: ['Acme.X@1.2.3', '--yes'] },
    ],
  ])('of %s', (_kind, given, expected) => {
    expect(build(recipeOf(given)).entry).toMatchObject(expected);
  });

  it('gives a container its variables by name, never by value', () => {
    const environmentVariables = [{ name: 'TOKEN', isRequired: true, isSecret: true }];
    const recipe = recipeOf({ registryType: 'oci', identifier: 'acme/x:1', environmentVariables });
    expect(build(recipe, { TOKEN: 'hush' }).entry).toEqual({
      command: 'docker',
      args: ['run', '-i', '--rm', '-e', 'TOKEN', 'acme/x:1'],
      env: { TOKEN: 'hush' },
      version: '1',
    });
  });

  it('puts arguments where they belong, with what people gave in the place of names in braces', () => {
    const recipe = recipeOf({
      registryType: 'oci',
      identifier: 'acme/x:1',
      runtimeArguments: [
        { type: 'positional', value: '-i' },
        {
          type: 'named',
          name: '--mount',
          value: 'type=bind,src={source},dst={target}',
          variables: { source: { isRequired: true }, target: { default: '/project' } },
        },
      ],
      packageArguments: [
        { type: 'positional', value: 'serve' },
        { type: 'named', name: '--port', format: 'number', default: '80' },
        { type: 'named', name: '--verbose', format: 'boolean' },
        { type: 'positional', valueHint: 'folder', isRequired: true },
        { type: 'named', name: '--unused' },
      ],
    });
    expect(build(recipe, { source: '/a b', folder: '/x', verbose: 'true' }).entry['args']).toEqual([
      ...['run', '-i', '--rm', '--mount', 'type=bind,src=/a b,dst=/project', 'acme/x:1'],
      ...['serve', '--port', '80', '--verbose', '/x'],
    ]);
  });

  it('takes one value of an argument that may come more than once, and says which that is', () => {
    const folder = { type: 'positional', valueHint: 'folder', isRepeated: true, isRequired: true };
    const { entry, repeatable } = build(npm({ packageArguments: [folder] }), { folder: '/x' });
    expect(entry['args']).toEqual(['-y', '@acme/x@1.2.3', '/x']);
    expect(repeatable).toEqual(['folder']);
  });

  it('leaves out an argument whose values nobody gave', () => {
    const packageArguments = [{ type: 'named', name: '--at', value: '{place}', variables: { place: {} } }];
    expect(build(npm({ packageArguments })).entry['args']).toEqual(['-y', '@acme/x@1.2.3']);
  });

  it('takes further variables the registry does not know of', () => {
    expect(build(npm(), { DEBUG: '1' }).entry['env']).toEqual({ DEBUG: '1' });
    expect(() => build(npm(), { 'not a name': '1' })).toThrow(/is no name of a variable/);
  });

  it('tells everything that is missing, once', () => {
    const environmentVariables = [
      { name: 'API_KEY', description: 'Your key\u001b[31m', isRequired: true },
      { name: 'REGION', isRequired: true, default: 'eu' },
      { name: 'TEAM', isRequired: true, isSecret: true },
      { name: 'OTHER' },
    ];
    const { missing } = build(npm({ environmentVariables }));
    expect(missing.map(({ name, secret }) => [name, secret])).toEqual([
      ['API_KEY', true],
      ['TEAM', true],
    ]);
    const error = toMissingError('x', missing);
    expect(error).toMatchObject({
      code: 'INVALID_PARAMS',
      data: { missing: [{ name: 'API_KEY', secret: true }, { name: 'TEAM' }] },
    });
    expect(error.message).toContain('--env API_KEY=<secret> (Your key[31m)');
    expect(error.message).toContain('${env:API_KEY}');
  });

  it('refuses what is not among the choices, is no number or no switch', () => {
    const environmentVariables = [
      { name: 'MODE', choices: ['fast', 'slow'] },
      { name: 'PORT', format: 'number' },
    ];
    expect(() => build(npm({ environmentVariables }), { MODE: 'fasst', PORT: 'x' })).toThrow(
      /MODE: has to be one of fast, slow \(did you mean "fast"\?\); env.PORT: has to be a number/,
    );
  });

  it('remembers what is secret because the registry says so', () => {
    const environmentVariables = [{ name: 'TEAM', isSecret: true }];
    expect(build(npm({ environmentVariables }), { TEAM: 'blue' }).secretValues).toEqual(['blue']);
    expect(build(npm({ environmentVariables }), { TEAM: '${env:TEAM}' }).secretValues).toEqual([]);
  });

  it('uses what the entry before had been given', () => {
    const recipe = npm({ environmentVariables: [{ name: 'KEY', isRequired: true }] });
    const known = { KEY: '${secret:x.KEY}', OTHER: '1' };
    expect(buildEntry(recipe, { values: {}, known })).toMatchObject({
      entry: { env: { KEY: '${secret:x.KEY}' } },
      missing: [],
    });
  });
});

describe('a server elsewhere becomes an entry', () => {
  it('with its headers and the variables of its address', () => {
    const [recipe] = recipesOf({
      remotes: [
        {
          type: 'streamable-http',
          url: 'https://{tenant}.example.com/mcp',
          variables: { tenant: { isRequired: true } },
          headers: [
            {
              name: 'Authorization',
              value: 'Bearer {key}',
              variables: { key: { isRequired: true, isSecret: true } },
            },
          ],
        },
      ],
    });
    if (!recipe) throw new Error('there is no recipe');
    expect(build(recipe).missing.map(({ name }) => name)).toEqual(['key', 'tenant']);
    expect(build(recipe, { tenant: 'acme', key: 'hush' })).toMatchObject({
      entry: { type: 'http', url: 'https://acme.example.com/mcp', headers: { Authorization: 'Bearer hush' } },
      secretValues: ['hush'],
    });
    expect(() => build(recipe, { tenant: 'a', key: 'b', tenat: 'c' })).toThrow(/takes no such value/);
  });
});

describe('what cannot be trusted is not offered', () => {
  it.each<JsonObject>([
    { registryType: 'npm', identifier: '--registry=https://evil.example' },
    { registryType: 'npm', identifier: '../../evil' },
    { registryType: 'npm', identifier: 'git+https://evil.example/x.git' },
    { registryType: 'npm', identifier: 'x', version: '1 && evil' },
    { registryType: 'npm', identifier: 'x', version: '1', registryBaseUrl: 'https://evil.example' },
    { registryType: 'pypi', identifier: 'x @ https://evil.example' },
    { registryType: 'oci', identifier: '--privileged' },
    { registryType: 'oci', identifier: 'x;id' },
    { registryType: 'mcpb', identifier: 'http://example.com/x', fileSha256: 'a'.repeat(64) },
    { registryType: 'mcpb', identifier: 'https://example.com/x' },
    {
      registryType: 'npm',
      identifier: 'x',
      transport: { type: 'streamable-http', url: 'http://localhost:1' },
    },
    { registryType: 'cargo', identifier: 'x' },
    { registryType: 'constructor', identifier: 'x' },
  ])('%j', (given) => {
    expect(recipesOf({ packages: [{ transport: { type: 'stdio' }, ...given }] })).toEqual([]);
  });

  it('is refused when it is asked for by name', () => {
    for (const from of [
      'npm:-x',
      'npm:',
      'npm:a b',
      'evil:x',
      'pypi:./x',
      'oci:$(id)',
      'binary:https://x/y',
      'binary:http://x/y#sha256=00',
      'file:///etc',
      'javascript:1',
    ])
      expect(() => parseFrom(from, undefined), from).toThrow(
        expect.objectContaining({ code: 'INVALID_PARAMS' }),
      );
  });

  it('never becomes an option of a runner, whatever the registry says', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('npm', 'pypi', 'oci', 'nuget'),
        fc.string(),
        fc.option(fc.string()),
        (registryType, identifier, version) => {
          const recipes = recipesOf({
            packages: [
              {
                registryType,
                identifier,
                ...(version !== null && { version }),
                transport: { type: 'stdio' },
              },
            ],
          });
          for (const { target } of recipes) expect(target).toMatch(/^[@A-Za-z0-9~][^\s;&|$`<>(){}\\'"]*$/);
        },
      ),
    );
  });
});

describe('a package that is named directly', () => {
  it.each([
    ['npm:@acme/x@1.2.3', 'npm', '@acme/x@1.2.3', '1.2.3'],
    ['npm:@acme/x', 'npm', '@acme/x', undefined],
    ['pypi:acme==2.0', 'pypi', 'acme==2.0', '2.0'],
    ['docker:ghcr.io/acme/x:1', 'oci', 'ghcr.io/acme/x:1', '1'],
    ['oci:localhost:5000/acme/x', 'oci', 'localhost:5000/acme/x', undefined],
    ['https://mcp.example.com/mcp', 'remote', 'https://mcp.example.com/mcp', undefined],
    [`binary:https://example.com/x#sha256=${'A'.repeat(64)}`, 'binary', 'https://example.com/x', undefined],
  ])('%s', (from, kind, target, version) => {
    expect(parseFrom(from, undefined)).toMatchObject({ kind, target, version });
  });

  it.each([
    ['npm:@acme/x', 'npm', '@acme/x@2'],
    ['npm:@acme/x@2', 'npm', '@acme/x@2'],
    ['oci:acme/x', 'oci', 'acme/x:2'],
    ['oci:acme/x:2', 'oci', 'acme/x:2'],
  ])('%s in version 2', (from, kind, target) => {
    expect(parseFrom(from, '2')).toMatchObject({ kind, target, version: '2' });
  });

  it.each([
    'npm:x@1',
    'pypi:x==1',
    'oci:acme/x:1',
    `oci:acme/x@sha256:${'a'.repeat(64)}`,
    'https://mcp.example.com/mcp',
    'sse:https://mcp.example.com/sse',
    `binary:https://example.com/x#sha256=${'a'.repeat(64)}`,
  ])('%s cannot be had in version 2', (from) => {
    expect(() => parseFrom(from, '2')).toThrow(
      expect.objectContaining({ code: 'INVALID_PARAMS', message: expect.stringMatching(/version: .*leave/) }),
    );
  });
});

describe('the version that is told', () => {
  it.each([
    ['ghcr.io/acme/x:1.5', '2.0.0', 'ghcr.io/acme/x:1.5', '1.5'],
    ['ghcr.io/acme/x', '2.0.0', 'ghcr.io/acme/x:2.0.0', '2.0.0'],
    [`acme/x:1@sha256:${'a'.repeat(64)}`, '2.0.0', `acme/x:1@sha256:${'a'.repeat(64)}`, '1'],
    ['acme/x', undefined, 'acme/x', undefined],
  ])('is that of the image that is run: %s', (identifier, version, target, told) => {
    const image = { registryType: 'oci', identifier, version, transport: { type: 'stdio' } };
    const [recipe] = recipesOf({ packages: [image] });
    expect(recipe).toMatchObject({ target });
    expect(recipe?.version).toBe(told);
  });
});

describe('an entry in the place of another', () => {
  it('keeps what people chose and takes the new way to run it', () => {
    const before = {
      command: 'npx',
      args: ['-y', 'x@1'],
      env: { A: '1', B: '2' },
      tags: ['dev'],
      timeout: 5,
      cwd: '/w',
      version: '1',
    };
    const after = { command: 'npx', args: ['-y', 'x@2'], env: { B: '3' }, version: '2' };
    const merged = mergeEntries(before, after);
    expect(merged).toEqual({ ...after, env: { A: '1', B: '3' }, tags: ['dev'], timeout: 5, cwd: '/w' });
    expect(toUpstreamConfig('x', merged).tags).toEqual(['dev']);
  });
});

describe('what people are shown', () => {
  it('cannot hide or move anything', () => {
    expect(toCommandLine('npx', ['-y', 'a b', '\u202Egnp.exe', 'x\u001b[2J'])).toBe(
      'npx -y "a b" "\\u{202e}gnp.exe" "x\\u001b[2J"',
    );
    expect(toLine('one\n  two\u001b[31m\u202E three')).toBe('one two[31m three');
    expect(toLine('x'.repeat(500))).toHaveLength(200);
  });
});

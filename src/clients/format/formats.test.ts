import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as yaml from 'yaml';
import { anyJsonc } from '../../config/edit/any-jsonc.contract.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { ServerShelf } from '../client.ts';
import { dropShelf, editServers, readServers, type ServerFile } from '../file-servers.ts';
import type { Format } from './format.ts';
import { jsoncFormat } from './jsonc-format.ts';
import { loadTomlFormat } from './toml-format.ts';
import { loadYamlFormat } from './yaml-format.ts';

const MEMBERS: ServerShelf = { path: ['mcpServers'], kind: 'record' };
const LIST: ServerShelf = { path: ['mcpServers'], kind: 'list' };
const OWN: JsonObject = { command: '/usr/bin/node', args: ['a b', '--c=#1', 'C:\\d'], env: { A: 'x: y' } };

const fileOf = (format: Format, shelf: ServerShelf): ServerFile => ({ path: '/x', format, shelf });
const add = (file: ServerFile, text: string) => editServers(file, text, [{ name: 'thimble', value: OWN }]);
const drop = (file: ServerFile, text: string) =>
  editServers(file, text, [{ name: 'thimble', value: undefined }]);
const names = (file: ServerFile, text: string) => readServers(file, text).map(({ name }) => name);

describe('JSON with comments', () => {
  const file = fileOf(jsoncFormat, MEMBERS);

  it('says on which line a text is wrong', () => {
    expect(jsoncFormat.parse('{\n  "a": 1\n  "b": 2\n}')).toMatchObject({ ok: false, line: 3 });
    expect(jsoncFormat.parse('{"a": 1, "a": 2,}')).toMatchObject({ ok: false, line: 1 });
  });

  it('refuses a place for servers that is there twice', () => {
    expect(() => add(file, '{"mcpServers": {}, "mcpServers": {"a": {}}}')).toThrow(
      'has "mcpServers" twice in one place (line 1)',
    );
  });

  it('adds to any document, takes out of any document, and changes nothing else in it', () => {
    fc.assert(
      fc.property(anyJsonc(), (text) => {
        const before = jsoncFormat.parse(text);
        if (!before.ok) throw new Error(`the generator wrote ${JSON.stringify(text)}`);
        const after = add(file, text);
        expect(names(file, after)).toContain('thimble');
        const back = dropShelf(file, drop(file, after));
        expect(jsoncFormat.parse(back)).toEqual({ ok: true, value: withoutEmpty(before.value) });
      }),
      { numRuns: 400 },
    );
  });
});

/** As it is, but for an empty place for servers. */
function withoutEmpty(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const { mcpServers, ...rest } = value;
  const isEmpty = isJsonObject(mcpServers) && Object.keys(mcpServers).length === 0;
  return mcpServers === undefined || mcpServers === null || isEmpty ? rest : value;
}

describe('YAML', () => {
  it.each([
    ['', MEMBERS],
    ['# only a comment', MEMBERS],
    ['mcpServers:\n', MEMBERS],
    ['mcpServers: {}  # none\nb: 1\n', MEMBERS],
    ['mcpServers: ~\n', MEMBERS],
    ['mcpServers: {a: {command: x}}\n', MEMBERS],
    ['mcpServers:\n    a:\n        command: |\n            x\n            y\n\n\n# end\n', MEMBERS],
    ['{"mcpServers": {"a": {"command": "x"}}, "b": 1}', MEMBERS],
    ['a: &x\n  command: y\nmcpServers:\n  b: *x\nc: 1', MEMBERS],
    ['---\na: 1\n', MEMBERS],
    ['mcpServers: []\n', LIST],
    ['mcpServers:\n- name: a\n  command: x\nb: 1\n', LIST],
    ['mcpServers:\n  - name: a\n    command: x # why\n  # last\n', LIST],
    ['mcpServers: [{name: a, command: x}]', LIST],
    ['mcpServers:\r\n  - name: a\r\n    command: x\r\nb: 1\r\n', LIST],
    ['mcpServers:\n  - uses: some/block\n  - name: a\n    command: x\n', LIST],
  ])('takes an entry and gives it back: %j', async (text, shelf) => {
    const file = fileOf(await loadYamlFormat(), shelf);
    const after = add(file, text);
    expect(names(file, after)).toEqual([...names(file, text), 'thimble']);
    expect(names(file, drop(file, after))).toEqual(names(file, text));
  });

  it('refuses what it cannot change without changing its meaning', async () => {
    const file = fileOf(await loadYamlFormat(), MEMBERS);
    const anchored = 'mcpServers:\n  a: &x\n    command: y\n  b: *x\n';
    expect(() => editServers(file, anchored, [{ name: 'a', value: undefined }])).toThrow(
      /anchors or aliases .*line 2.*cannot change it safely|unresolved/i,
    );
    expect(() => add(file, 'a: 1\n---\nb: 2\n')).toThrow(/line/);
    expect(() => add(file, 'mcpServers: text\n')).toThrow('expected members at mcpServers');
  });

  it('says what is wrong without quoting it', async () => {
    const parsed = (await loadYamlFormat()).parse('a: 1\npassword: *planted-secret\n');
    expect(parsed).toEqual({ ok: false, line: 2, problem: 'an alias cannot be followed' });
  });

  it('changes any document only as asked, or refuses', async () => {
    const file = fileOf(await loadYamlFormat(), MEMBERS);
    fc.assert(
      fc.property(anyYaml(), (text) => {
        const after = add(file, text);
        expect(names(file, after)).toEqual([...names(file, text), 'thimble']);
        drop(file, after);
      }),
      { numRuns: 200 },
    );
  });
});

function anyYaml(): fc.Arbitrary<string> {
  const word = fc.constantFrom(
    'a',
    'yes',
    '- x',
    '# no',
    'x: y',
    '',
    'line\nline\n',
    'é',
    '1.0',
    '"',
    "it's",
  );
  const tree = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      word,
      fc.integer(),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(fc.constantFrom('k', 'x y', 'é'), tie('value')),
    ),
  })).value;
  const server = fc.record({ command: word, env: fc.dictionary(fc.constantFrom('A', 'B'), word) });
  const servers = fc.dictionary(fc.constantFrom('one', 'two words', 'x#y'), server);
  const options = fc.record({
    indent: fc.constantFrom(2, 4),
    flow: fc.boolean(),
    crlf: fc.boolean(),
    note: fc.boolean(),
  });
  return fc.tuple(tree, servers, tree, options).map(([first, shelf, last, { indent, flow, crlf, note }]) => {
    const document = new yaml.Document({ first, mcpServers: shelf, last });
    const node = document.get('mcpServers');
    if (yaml.isMap(node) && flow) node.flow = true;
    if (yaml.isMap(node) && note && !flow) node.comment = ' a note';
    const text = document.toString({ indent, lineWidth: 0 });
    return crlf ? text.replaceAll('\n', '\r\n') : text;
  });
}

describe('TOML', () => {
  const shelf: ServerShelf = { path: ['mcpServers'], kind: 'record' };

  it.each([
    '',
    'a = 1',
    '# nothing\n\n',
    '[mcpServers]\n',
    '[mcpServers]\na = { command = "x" } # inline\n',
    '[mcpServers]\na.command = "x"\na.args = ["[y]", \'#\']\n[b]\n',
    'mcpServers = { a = { command = "x" } }\nb = 2\n',
    'mcpServers.a.command = "x"\n[b]\nc = 1\n',
    '[mcpServers.a]\ncommand = "x"\n[mcpServers.a.env]\nK = """\n[not]\n"""\n[b]\n',
    "[[b]]\nx = 1\n[[b]]\nx = 2\n[mcpServers.\"a.b\"]\ncommand = '''x'''",
    '\uFEFF[mcpServers.a]\r\ncommand = "x"\r\n',
    '[mcpServers.a]\ncommand = "x"\n[b]\n[mcpServers.c]\ncommand = "y"\n',
  ])('takes an entry and gives it back: %j', async (text) => {
    const file = fileOf(await loadTomlFormat(), shelf);
    const after = add(file, text);
    expect(names(file, after).sort()).toEqual([...names(file, text), 'thimble'].sort());
    expect(names(file, drop(file, after)).sort()).toEqual(names(file, text).sort());
    const all = names(file, after).map((name) => ({ name, value: undefined }));
    expect(names(file, editServers(file, after, all))).toEqual([]);
  });

  it('sets single members wherever they stand', async () => {
    const file = fileOf(await loadTomlFormat(), shelf);
    const texts = [
      '[mcpServers.a]\ncommand = "x" # why\n',
      '[mcpServers]\na = { command = "x", env = { K = "1" } }\n',
      '[mcpServers]\na.command = "x"\n',
      '[mcpServers.a]\ncommand = "x"\n\n[mcpServers.a.env]\nK = "1"\n',
      '[mcpServers.a]\ncommand = "x"\nenv = { K = "1" }',
    ];
    for (const text of texts) {
      const set = editServers(file, text, [
        { name: 'a', path: ['enabled'], value: false },
        { name: 'a', path: ['env', 'NEW'], value: 'v' },
        { name: 'a', path: ['command'], value: 'y' },
      ]);
      const [server] = readServers(file, set);
      expect(server?.value, text).toMatchObject({ command: 'y', enabled: false, env: { NEW: 'v' } });
      expect(set.includes('# why')).toBe(text.includes('# why'));
    }
  });

  it('says on which line a text is wrong', async () => {
    expect((await loadTomlFormat()).parse('a = 1\nb = \n')).toMatchObject({ ok: false, line: 2 });
  });
});

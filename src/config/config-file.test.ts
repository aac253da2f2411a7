import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_PARTS } from '../gateway.ts';
import { openConfigFile } from './config-file.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'thimble-config-'));
  await mkdir(join(root, 'work'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const open = () => openConfigFile({ cwd: join(root, 'work'), home: join(root, 'home') }, CONFIG_PARTS);
const add = (name: string) => ({ path: ['mcpServers', name], value: { command: name } });

describe('the configuration file', () => {
  it('is the one in the home until there is one', async () => {
    const content = await open().read();
    expect(content).toMatchObject({ path: join(root, 'home/thimble.jsonc'), text: undefined, value: {} });
    await open().edit(() => [add('a')]);
    expect(JSON.parse(await readFile(content.path, 'utf8'))).toEqual({ mcpServers: { a: { command: 'a' } } });
  });

  it('keeps comments, order and trailing commas through edits', async () => {
    const path = join(root, 'work/thimble.jsonc');
    const text = '{\n  // mine\n  "mcpServers": {\n    "b": { "command": "b" }, // second\n  },\n}\n';
    await writeFile(path, text);
    await open().edit(() => [add('a')]);
    const after = await readFile(path, 'utf8');
    expect(after).toContain('// mine');
    expect(after).toContain('// second');
    await open().edit(() => [{ path: ['mcpServers', 'a'], value: undefined }]);
    expect((await open().read()).value).toEqual({ mcpServers: { b: { command: 'b' } } });
  });

  it('leaves a one-line member and its comment as they are when one more is set behind it', async () => {
    const path = join(root, 'work/thimble.jsonc');
    const text = '{\n  "http": { "port": 7500 }, // mine\n  "names": { "maxLength": 60 } // short\n}\n';
    await writeFile(path, text);
    await open().edit(() => [{ path: ['manage', 'enabled'], value: false }]);
    await open().edit(() => [{ path: ['http', 'host'], value: '127.0.0.1' }]);
    const added = '"names": { "maxLength": 60 }, // short\n  "manage": {\n    "enabled": false\n  }\n}\n';
    expect(await readFile(path, 'utf8')).toBe(
      `{\n  "http": { "port": 7500, "host": "127.0.0.1" }, // mine\n  ${added}`,
    );
  });

  it('reads and keeps the mark some editors begin a file with, and the way it is indented', async () => {
    const path = join(root, 'work/thimble.jsonc');
    await writeFile(path, '\uFEFF{\r\n\t"mcpServers": {\r\n\t\t"b": { "command": "b" }\r\n\t}\r\n}\r\n');
    expect((await open().read()).value).toEqual({ mcpServers: { b: { command: 'b' } } });
    await open().edit(() => [add('a')]);
    const after = await readFile(path, 'utf8');
    expect(after.startsWith('\uFEFF{\r\n\t"mcpServers": {\r\n\t\t"b": {')).toBe(true);
    expect(after).toContain('\r\n\t\t"a": {\r\n\t\t\t"command": "a"\r\n\t\t}\r\n');
  });

  it('never writes what could not be used, and says what is wrong with it', async () => {
    const path = join(root, 'work/thimble.jsonc');
    await writeFile(path, '{}');
    const wrong = open().edit(() => [{ path: ['http', 'port'], value: 'many' }]);
    await expect(wrong).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(await readFile(path, 'utf8')).toBe('{}');
  });

  it('never takes out or switches off the server that its own settings name', async () => {
    const path = join(root, 'work/thimble.jsonc');
    const text = JSON.stringify({
      mcpServers: { a: { command: 'a' } },
      exposure: { activate: { default: 'a' } },
    });
    await writeFile(path, text);
    const edits = [
      { path: ['mcpServers', 'a'], value: undefined },
      { path: ['mcpServers', 'a', 'enabled'], value: false },
    ];
    for (const edit of edits)
      await expect(open().edit(() => [edit])).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        data: { faults: [expect.objectContaining({ path: 'exposure.activate.default' })] },
      });
    expect(await readFile(path, 'utf8')).toBe(text);
  });

  it('shows what an edit would make of it, and writes nothing', async () => {
    const { before, after } = await open().preview([add('a')]);
    expect(before).toMatchObject({ text: undefined, value: {} });
    expect(after.text).toContain('"a"');
    expect(after.value).toEqual({ mcpServers: { a: { command: 'a' } } });
    expect(after.config.upstreams.map(({ name }) => name)).toContain('a');
    expect(await readdir(root)).toEqual(['work']);
  });

  it('keeps the file as it was before each edit that changes it', async () => {
    const path = join(root, 'work/thimble.jsonc');
    expect(await open().edit(() => [add('a')])).toMatchObject({ backup: undefined });
    await writeFile(path, '{ "http": {} }');
    const { backup = '' } = await open().edit(() => [add('a')]);
    expect(backup.startsWith(join(root, 'home/backups'))).toBe(true);
    expect(await readFile(backup, 'utf8')).toBe('{ "http": {} }');
    expect(await open().edit(() => [])).toMatchObject({ backup: undefined });
    expect(await readdir(join(root, 'home/backups'))).toHaveLength(1);
  });

  it('loses none of many edits made at once', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `s${at}`);
    await Promise.all(names.map((name) => open().edit(() => [add(name)])));
    const { config } = await open().read();
    expect(config.upstreams.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  });
});

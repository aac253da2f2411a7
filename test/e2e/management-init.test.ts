/** One machine with several clients and several hands: set up, put back, and edited by many at once. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { echo, run } from '../support/managed.ts';
import { createPlace } from '../support/program.ts';

const read = (name: string) =>
  readFile(fileURLToPath(new URL(`../clients-fixtures/${name}/config.txt`, import.meta.url)));

/** Where four clients keep their files on this system, below the person's home. */
const CLIENTS = {
  cursor: '.cursor/mcp.json',
  codex: '.codex/config.toml',
  goose: '.config/goose/config.yaml',
  vscode: '.config/Code/User/mcp.json',
} as const;

async function openMachine() {
  const place = await createPlace({ mcpServers: {} });
  const env = { ...process.env, HOME: place.dir, THIMBLE_HOME: place.home };
  return {
    place,
    run: (...words: string[]) => run(words, place.dir, env),
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}

describe('thimble init', () => {
  it('connects four clients, and --undo puts every byte back', async () => {
    await using machine = await openMachine();
    const before = new Map<string, Buffer>();
    for (const [key, path] of Object.entries(CLIENTS)) {
      const file = join(machine.place.dir, path);
      const bytes = await read(key);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, bytes);
      before.set(file, bytes);
    }
    const seen = await machine.run('init', '--dry-run', '--json');
    expect([seen.code, JSON.parse(seen.out)]).toEqual([0, { plan: expect.any(Object) }]);
    for (const [file, bytes] of before) expect(await readFile(file)).toEqual(bytes);

    const done = await machine.run('init', '--yes', '--no-tokens');
    expect(done, done.out + done.err).toMatchObject({ code: 0 });
    for (const [file, bytes] of before) {
      const now = await readFile(file, 'utf8');
      expect(now, file).not.toBe(bytes.toString());
      expect(now.toLowerCase(), file).toContain('thimble');
    }
    expect((await machine.run('init', '--yes', '--no-tokens')).out).toContain('nothing to do');

    const undone = await machine.run('init', '--undo', '--yes');
    expect(undone, undone.out + undone.err).toMatchObject({ code: 0 });
    for (const [file, bytes] of before) expect(await readFile(file), file).toEqual(bytes);
    // What was taken over is not thrown away with the connection.
    expect(JSON.parse((await machine.run('server', 'list', '--json')).out)).toMatchObject({
      servers: expect.arrayContaining([expect.objectContaining({ name: 'docs' })]),
    });
    expect(await machine.run('init', '--undo', '--yes')).toMatchObject({ code: 4 });
  });

  it('leaves a file alone that it cannot read, says which, and does the others', async () => {
    await using machine = await openMachine();
    const broken = join(machine.place.dir, CLIENTS.cursor);
    const whole = join(machine.place.dir, CLIENTS.codex);
    for (const file of [broken, whole]) await mkdir(dirname(file), { recursive: true });
    await writeFile(broken, '{ "mcpServers": { "half": ');
    await writeFile(whole, await read('codex'));
    const done = await machine.run('init', '--yes', '--no-tokens');
    expect(done.out + done.err).toContain(broken);
    expect(await readFile(broken, 'utf8')).toBe('{ "mcpServers": { "half": ');
    expect(await readFile(whole, 'utf8')).toContain('thimble');
  });
});

describe('many at once', () => {
  it('edit the configuration and lose nothing', { timeout: 600_000 }, async () => {
    await using machine = await openMachine();
    await writeFile(machine.place.config, '{\n  // mine\n  "mcpServers": {}\n}\n');
    const entry = echo('x');
    const words = (name: string) => [
      ...['server', 'create', name, '--command', entry.command, '--env', `A_TOKEN=planted-${name}`],
      ...['--untested', '--yes'],
    ];
    const names = Array.from({ length: 8 }, (_, number) => `s${number}`);
    const created = await Promise.all(names.map((name) => machine.run(...words(name))));
    expect(created.map(({ code, err }) => [code, err])).toEqual(names.map(() => [0, '']));
    const tagged = await Promise.all([
      ...names.map((name) => machine.run('profile', 'create', `p-${name}`, name, '--yes')),
      machine.run('config', 'set', 'names.maxLength', '50', '--yes'),
      machine.run('config', 'set', 'exposure.mode', 'search', '--yes'),
    ]);
    expect(tagged.filter(({ code }) => code !== 0)).toEqual([]);
    const text = await readFile(machine.place.config, 'utf8');
    expect(text).toContain('// mine');
    expect(text).not.toContain('planted-');
    const config = JSON.parse(text.replace('// mine', '')) as {
      mcpServers: Record<string, { tags: string[]; env: { A_TOKEN: string } }>;
    };
    expect(config).toMatchObject({ names: { maxLength: 50 }, exposure: { mode: 'search' } });
    expect(Object.keys(config.mcpServers).sort()).toEqual(names);
    for (const name of names) expect(config.mcpServers[name]?.tags).toEqual([`p-${name}`]);
    // Every reference leads to a value of its own.
    expect(new Set(names.map((name) => config.mcpServers[name]?.env.A_TOKEN)).size).toBe(names.length);
    const gone = await Promise.all(
      names.slice(0, 4).map((name) => machine.run('server', 'uninstall', name, '--yes')),
    );
    expect(gone.filter(({ code }) => code !== 0)).toEqual([]);
    const left = await readFile(machine.place.config, 'utf8');
    for (const [number, name] of names.entries()) expect(left.includes(`"${name}"`)).toBe(number >= 4);
  });

  it('may take one name, and one of them gets it', async () => {
    await using machine = await openMachine();
    const all = await Promise.all(
      ['1', '2', '3', '4'].map((arg) =>
        machine.run('server', 'create', 'same', '--command', 'node', '--args', arg, '--untested', '--yes'),
      ),
    );
    expect(all.filter(({ code }) => code === 0)).toHaveLength(1);
    for (const { code, err } of all) if (code !== 0) expect(err).toContain('same');
  });
});

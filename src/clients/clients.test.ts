import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { takeLock } from '../lib/edit-file-lock.ts';
import { OWN, openDesk } from './client.contract.ts';
import { openClients } from './clients.ts';
import { findClient } from './known/registry.ts';

const cursor = findClient('cursor');
const code = findClient('claude-code');
const project = findClient('claude-code-project');
const servers = (entries: object) => `${JSON.stringify({ mcpServers: entries }, null, 2)}\n`;

describe('connecting', () => {
  it('brings any document back byte for byte, also when somebody wrote below it meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(anyFile(), async ({ text, take }) => {
        await using desk = await openDesk(cursor, text);
        await desk.clients.connect('cursor', OWN, { take });
        const connected = await desk.read();
        await desk.clients.disconnect('cursor');
        expect(await desk.read()).toBe(text);
        await desk.clients.undo('cursor');
        expect(await desk.read()).toBe(connected);
        await desk.write(`${connected}// written by hand\n`);
        await desk.clients.disconnect('cursor');
        expect(await desk.read()).toBe(`${text}// written by hand\n`);
      }),
      { numRuns: 60 },
    );
  }, 60_000);

  it('follows a client that writes its whole file anew all the time', async () => {
    const entries = { a: { command: 'x' }, b: { command: 'y', env: { K: 'v' } } };
    await using desk = await openDesk(code, servers(entries));
    await desk.clients.connect('claude-code', OWN, { take: ['a', 'b'] });
    const state = JSON.parse(await desk.read());
    await desk.write(JSON.stringify({ numStartups: 8, ...state }));
    await desk.clients.disconnect('claude-code');
    expect(JSON.parse(await desk.read())).toEqual({ numStartups: 8, mcpServers: entries });
  });

  it('does not bring back what somebody removed meanwhile, nor overwrite what they put there', async () => {
    const entries = { left: { command: 'x' }, taken: { command: 'y' } };
    await using desk = await openDesk(cursor, servers(entries));
    await desk.clients.connect('cursor', OWN, { take: ['taken'] });
    await desk.write(servers({ thimble: OWN, taken: { command: 'other' } }));
    await desk.clients.disconnect('cursor');
    expect(JSON.parse(await desk.read())).toEqual({ mcpServers: { taken: { command: 'other' } } });
  });

  it('takes away a place for servers that it made, though somebody else wrote to the file', async () => {
    await using desk = await openDesk(cursor, '{\n  "a": 1\n}\n');
    await desk.clients.connect('cursor', OWN, { take: [] });
    await desk.write(`// mine\n${await desk.read()}`);
    await desk.clients.disconnect('cursor');
    expect(await desk.read()).toBe('// mine\n{\n  "a": 1\n}\n');
  });

  it('gives a server of the same name back that was there before', async () => {
    const start = servers({ thimble: { command: 'something else' } });
    await using desk = await openDesk(cursor, start);
    await desk.clients.connect('cursor', OWN, { take: [] });
    await desk.write((await desk.read()).replace('\n}', ',\n  "b": 2\n}'));
    await desk.clients.disconnect('cursor');
    expect(JSON.parse(await desk.read())).toEqual({
      mcpServers: { thimble: { command: 'something else' } },
      b: 2,
    });
  });

  it('keeps servers out that an earlier connect took out', async () => {
    const start = servers({ a: { command: 'x' } });
    await using desk = await openDesk(cursor, start);
    await desk.clients.connect('cursor', OWN, { take: ['a'] });
    const { after, before } = await desk.clients.connect('cursor', OWN, { take: [] });
    expect(after).toBe(before);
    await desk.clients.disconnect('cursor');
    expect(await desk.read()).toBe(start);
  });

  it('is undone in a file that was removed meanwhile without making it again', async () => {
    await using desk = await openDesk(cursor, servers({}));
    await desk.clients.connect('cursor', OWN, { take: [] });
    await rm(desk.path);
    await desk.clients.disconnect('cursor');
    await expect(stat(desk.path)).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(desk.clients.disconnect('cursor')).rejects.toMatchObject({ code: 'NAME_UNKNOWN' });
    await desk.clients.undo('cursor');
    await expect(desk.clients.undo('cursor')).rejects.toMatchObject({ code: 'FILE_REFUSED' });
  });

  it('loses no write of two who write at once', async () => {
    await using desk = await openDesk(cursor, servers({}));
    const names = Array.from({ length: 12 }, (_, number) => `server-${number}`);
    await Promise.all(
      names.map((name) => desk.clients.edit('cursor', [{ do: 'put', name, entry: { command: name } }])),
    );
    expect((await desk.clients.read('cursor')).servers.map(({ name }) => name).sort()).toEqual(
      [...names].sort(),
    );
  });

  it('writes to a file of megabytes in little time', async () => {
    const history = Array.from({ length: 20_000 }, (_, number) => ({
      display: `${number} `.repeat(40),
      pasted: {},
    }));
    const entries = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`s${n}`, { command: `x${n}` }]));
    const text = JSON.stringify({ projects: { '/p': { history } }, mcpServers: entries }, null, 2);
    expect(text.length).toBeGreaterThan(5_000_000);
    await using desk = await openDesk(code, text);
    const times: number[] = [];
    const timed = async (write: () => Promise<unknown>) => {
      const start = performance.now();
      await write();
      times.push(performance.now() - start);
    };
    await timed(() => desk.clients.connect('claude-code', OWN, { take: Object.keys(entries) }));
    await desk.write(`${await desk.read()}\n`);
    await timed(() => desk.clients.disconnect('claude-code'));
    expect(await desk.read()).toBe(`${text}\n`);
    // A lock that is held for ten seconds is taken for one that was left behind.
    expect(Math.max(...times)).toBeLessThan(10_000);
  });
});

describe('copies', () => {
  it('are the very bytes, private, and as many as may be wanted', async () => {
    const start = '\uFEFF{ "mcpServers": { } } // é\r\n';
    await using desk = await openDesk(cursor, start);
    await desk.clients.connect('cursor', OWN, { take: [] });
    const folder = join(desk.home, 'backups', 'clients');
    const [copy] = (await readdir(folder)).filter((name) => !name.endsWith('.json'));
    expect(copy).toMatch(/^cursor-20261116T120000Z-/);
    expect(await readFile(join(folder, copy ?? ''), 'utf8')).toBe(start);
    for (const name of await readdir(folder))
      expect((await stat(join(folder, name))).mode & 0o777, name).toBe(0o600);
    for (let number = 0; number < 30; number++)
      await desk.clients.edit('cursor', [{ do: 'put', name: 'x', entry: { command: `x${number}` } }]);
    expect((await readdir(folder)).length).toBeLessThan(50);
    await desk.clients.edit('cursor', [{ do: 'remove', name: 'x' }]);
    await desk.clients.disconnect('cursor');
    expect(await desk.read()).toBe(start);
  });

  it('of one project are not taken for those of another', async () => {
    await using desk = await openDesk(project, servers({ a: { command: 'x' } }));
    const other = join(desk.places.machine.userHome, 'other');
    await mkdir(other);
    await writeFile(join(other, '.mcp.json'), servers({ b: { command: 'y' } }));
    const there = openClients({ ...desk.places, cwd: other, home: desk.home, now: () => new Date() });
    await desk.clients.connect(project.key, OWN, { take: ['a'] });
    await there.connect(project.key, OWN, { take: ['b'] });
    await desk.clients.disconnect(project.key);
    expect(await desk.read()).toBe(servers({ a: { command: 'x' } }));
    await there.disconnect(project.key);
    expect(await readFile(join(other, '.mcp.json'), 'utf8')).toBe(servers({ b: { command: 'y' } }));
  });

  it('are not put over what somebody changed since', async () => {
    await using desk = await openDesk(cursor, '{}');
    await desk.clients.connect('cursor', OWN, { take: [] });
    const changed = `${await desk.read()}\n`;
    await desk.write(changed);
    await expect(desk.clients.undo('cursor')).rejects.toMatchObject({ code: 'FILE_REFUSED' });
    expect(await desk.read()).toBe(changed);
  });

  it('of a write that was undone are gone before anybody else may write', async () => {
    await using desk = await openDesk(cursor, servers({}));
    await desk.clients.connect('cursor', OWN, { take: [] });
    const folder = join(desk.home, 'backups', 'clients');
    const undone = desk.clients.undo('cursor');
    await turnUntil(() => isLocked(desk.path));
    await turnUntil(() => !isLocked(desk.path));
    expect(await readdir(folder)).toEqual([]);
    await undone;
    expect(await desk.read()).toBe(servers({}));
  });

  it('may come and go while those of another client are looked through', async () => {
    await using desk = await openDesk(cursor, servers({}));
    await desk.clients.connect('cursor', OWN, { take: [] });
    const folder = join(desk.home, 'backups', 'clients');
    // A name that is listed and cannot be read any more, as that of a file removed in between.
    await symlink(join(folder, 'nowhere'), join(folder, 'roo-code-x.json'));
    expect((await desk.clients.previewDisconnect('cursor')).after).toBe(servers({}));
    await desk.clients.undo('cursor');
    expect(await desk.read()).toBe(servers({}));
  });

  it('that are missing are named, and nothing is written', async () => {
    await using desk = await openDesk(cursor, servers({}));
    await desk.clients.connect('cursor', OWN, { take: [] });
    const connected = await desk.read();
    const folder = join(desk.home, 'backups', 'clients');
    const [copy = ''] = (await readdir(folder)).filter((name) => !name.endsWith('.json'));
    await rm(join(folder, copy));
    await expect(desk.clients.undo('cursor')).rejects.toMatchObject({
      code: 'FILE_REFUSED',
      message: expect.stringContaining(join(folder, copy)),
    });
    expect(await desk.read()).toBe(connected);
  });

  it('are judged by what is noted when the file is written, though its text is the same', async () => {
    await using desk = await openDesk(cursor, servers({ a: { command: 'x' } }));
    await desk.clients.connect('cursor', OWN, { take: ['a'] });
    const unlock = await takeLock(`${desk.path}.lock`);
    const undone = desk.clients.undo('cursor');
    undone.catch(() => {});
    const folder = join(desk.home, 'backups', 'clients');
    // Time enough for it to have looked, and to wait for the lock.
    for (let time = 0; time < 100; time++) await readdir(folder);
    for (const name of await readdir(folder)) await rm(join(folder, name));
    await unlock();
    await expect(undone).rejects.toMatchObject({ code: 'NAME_UNKNOWN' });
    expect((await desk.clients.read('cursor')).connected).toBe(true);
  });

  it('leave no note of a write that failed', async () => {
    await using desk = await openDesk(cursor, '{}');
    await rm(desk.path);
    await mkdir(desk.path);
    await expect(desk.clients.connect('cursor', OWN, { take: [] })).rejects.toMatchObject({
      code: 'FILE_REFUSED',
      message: expect.stringContaining('EISDIR'),
    });
    await expect(desk.clients.undo('cursor')).rejects.toMatchObject({ code: 'FILE_REFUSED' });
    expect(await readdir(desk.home).catch(() => [])).toEqual([]);
  });
});

describe('files', () => {
  it('that are no text are left alone', async () => {
    await using desk = await openDesk(cursor, '{}');
    const bytes = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]);
    await writeFile(desk.path, bytes);
    await expect(desk.clients.connect('cursor', OWN, { take: [] })).rejects.toThrow('not UTF-8');
    expect(await readFile(desk.path)).toEqual(bytes);
  });

  it('are found where a person says they are, from then on', async () => {
    await using desk = await openDesk(cursor, '{}');
    const elsewhere = join(desk.places.machine.userHome, 'x', 'mcp.json');
    await mkdir(dirname(elsewhere));
    await writeFile(elsewhere, servers({ a: { command: 'x' } }));
    await desk.clients.setPath('cursor', elsewhere);
    const again = openClients({ ...desk.places, home: desk.home, now: () => new Date() });
    expect(await again.read('cursor')).toMatchObject({ path: elsewhere, servers: [{ name: 'a' }] });
    expect(await again.place('cursor')).toMatchObject({ override: elsewhere, candidates: [desk.path] });
    await again.setPath('cursor', undefined);
    expect((await again.read('cursor')).path).toBe(desk.path);
    await writeFile(join(desk.home, 'clients.json'), 'x');
    await expect(again.read('cursor')).rejects.toMatchObject({ code: 'FILE_REFUSED' });
  });

  it('of clients that are not there are not found, and those of others are', async () => {
    await using desk = await openDesk(cursor, '{}');
    const found = (await desk.clients.list()).filter((client) => client.found).map(({ key }) => key);
    expect(found).toEqual(['cursor']);
    await mkdir(join(desk.places.machine.userHome, '.claude'));
    const now = (await desk.clients.list()).filter((client) => client.found).map(({ key }) => key);
    expect(now).toEqual(['claude-code', 'cursor']);
  });
});

/** True while somebody may write a file. */
function isLocked(path: string): boolean {
  return existsSync(`${path}.lock`) && readdirSync(`${path}.lock`).length > 0;
}

/** Looks again and again, as often as anything can happen in between. */
async function turnUntil(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

/** Documents with comments of every kind, and the servers that are taken out of them. */
function anyFile(): fc.Arbitrary<{ text: string; take: string[] }> {
  const gap = fc.constantFrom(' ', '\n  ', '\r\n\t', ' // note\n', ' /* a, "b" */ ', '\n\n// x\n');
  const name = fc.constantFrom('one', 'two', 'thimble', 'é "x"', 'a/b');
  const entry = fc.constantFrom(
    '{"command":"x"}',
    '{ "url": "https://x.example" }',
    '{\n "command": "y", // why\n}',
  );
  const pair = fc.tuple(name, entry, gap, gap);
  return fc
    .record({
      pairs: fc.uniqueArray(pair, { maxLength: 4, selector: ([key]) => key }),
      gap,
      comma: fc.boolean(),
      take: fc.uniqueArray(name),
      bom: fc.constantFrom('', '\uFEFF'),
    })
    .map(({ pairs, gap: space, comma, take, bom }) => {
      const members = pairs.map(([key, text, a, b]) => `${a}${JSON.stringify(key)}:${b}${text}`).join(',');
      const last = comma && pairs.length > 0 ? ',' : '';
      const text = `${bom}{${space}"before": [1, 2],${space}"mcpServers": {${members}${last}${space}},${space}"after": {}${space}}\n`;
      return { text, take };
    });
}

/** What every client has to keep: its file comes back byte for byte, and nothing of it is ever lost. */
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../model/json.ts';
import type { Client, Places } from './client.ts';
import { type Clients, openClients } from './clients.ts';

const FIXTURES = new URL('../../test/clients-fixtures/', import.meta.url);

/** The entry that is put into clients. */
export const OWN: JsonObject = { command: '/usr/bin/node', args: ['/opt/thimble/main.js', 'stdio'] };

/** A machine of its own with one client's file on it. */
interface Desk extends AsyncDisposable {
  readonly path: string;
  readonly home: string;
  readonly clients: Clients;
  readonly places: Places;
  read(): Promise<string>;
  write(text: string): Promise<void>;
}

/** Runs the suite for one client. */
export function runClientContract(client: Client): void {
  const { key } = client;
  const fixture = () => readFile(new URL(`${key}/config.txt`, FIXTURES), 'utf8');
  const expected = async () =>
    JSON.parse(await readFile(new URL(`${key}/expected.json`, FIXTURES), 'utf8')) as Record<string, unknown>;

  describe(`the file of ${client.title}`, () => {
    it('is read: every server in our own form, or why it has none', async () => {
      await using desk = await openDesk(client, await fixture());
      const { servers, connected, exists } = await desk.clients.read(key);
      expect({ connected, exists }).toEqual({ connected: false, exists: true });
      const entries = Object.fromEntries(servers.map(({ name, entry }) => [name, entry ?? null]));
      expect(entries).toEqual(await expected());
      for (const { entry, problem, enabled, summary } of servers) {
        expect(entry === undefined).toBe(problem !== undefined);
        expect(enabled).toBe(entry?.['enabled'] !== false);
        expect(summary).not.toMatch(/fixture/);
      }
    });

    it.each(VARIANTS)('comes back byte for byte after connect and disconnect: %s', async (_name, vary) => {
      const start = vary(await fixture());
      await using desk = await openDesk(client, start);
      for (const replace of [true, false]) {
        const before = await desk.clients.read(key);
        const take = replace ? before.servers.filter(({ entry }) => entry).map(({ name }) => name) : [];
        const preview = await desk.clients.previewConnect(key, OWN, { take });
        expect(await desk.read()).toBe(start);
        await desk.clients.connect(key, OWN, { take });
        expect(await desk.read()).toBe(preview.after);
        const after = await desk.clients.read(key);
        expect(after.connected).toBe(true);
        const kept = before.servers.map(({ name }) => name).filter((name) => !take.includes(name));
        expect(after.servers.map(({ name }) => name).sort()).toEqual([...kept, 'thimble'].sort());
        expect(after.servers.find(({ name }) => name === 'thimble')?.entry).toMatchObject(OWN);
        await desk.clients.disconnect(key);
        expect(await desk.read()).toBe(start);
      }
    });

    it('keeps its line endings and its last byte while connected', async () => {
      const start = await fixture();
      await using desk = await openDesk(client, start);
      await desk.clients.connect(key, OWN, { take: [] });
      const after = await desk.read();
      expect(after.endsWith('\n')).toBe(start.endsWith('\n'));
      expect(/(?<!\r)\n/.test(after)).toBe(/(?<!\r)\n/.test(start));
    });

    it('comes back after being connected several times, and one undo takes one write back', async () => {
      const start = await fixture();
      await using desk = await openDesk(client, start);
      await desk.clients.connect(key, OWN, { take: Object.keys(await expected()).slice(0, 1) });
      const first = await desk.read();
      await desk.clients.connect(key, { ...OWN, args: ['other'] }, { take: [] });
      const second = await desk.read();
      await desk.clients.disconnect(key);
      expect(await desk.read()).toBe(start);
      await desk.clients.undo(key);
      expect(await desk.read()).toBe(second);
      await desk.clients.undo(key);
      expect(await desk.read()).toBe(first);
      await desk.clients.disconnect(key);
      expect(await desk.read()).toBe(start);
    });

    it('keeps what others changed meanwhile, and gets its own servers back', async () => {
      const start = await fixture();
      await using desk = await openDesk(client, start);
      const take = Object.entries(await expected()).flatMap(([name, entry]) => (entry ? [name] : []));
      await desk.clients.connect(key, OWN, { take });
      const format = await client.loadFormat();
      const foreign = client.write('foreign', { command: 'foreign-program' });
      const isList = client.shelf.kind === 'list';
      const place = isList ? (await desk.clients.read(key)).servers.length : 'foreign';
      const edited = format.set(await desk.read(), [...client.shelf.path, place], foreign);
      await desk.write(format.set(edited, ['addedByOthers'], 'stays'));
      await desk.clients.disconnect(key);
      const after = await desk.read();
      const parsed = format.parse(after);
      expect(parsed).toMatchObject({ ok: true, value: { addedByOthers: 'stays' } });
      const { servers, connected } = await desk.clients.read(key);
      expect(connected).toBe(false);
      const entries = Object.fromEntries(servers.map(({ name, entry }) => [name, entry ?? null]));
      expect(entries).toEqual({ ...(await expected()), foreign: client.read(foreign).entry });
      await expect(desk.clients.undo(key)).resolves.toMatchObject({ before: after });
    });

    it('keeps the comments of its servers when something else was changed meanwhile', async () => {
      const start = await fixture();
      await using desk = await openDesk(client, start);
      await desk.clients.connect(key, OWN, { take: Object.keys(await expected()).slice(0, 1) });
      const format = await client.loadFormat();
      await desk.write(format.set(await desk.read(), ['addedByOthers'], 'stays'));
      await desk.clients.disconnect(key);
      expect(await desk.read()).toBe(format.set(start, ['addedByOthers'], 'stays'));
    });

    it('is left alone when it cannot be read, with the line that is wrong', async () => {
      for (const broken of [toBroken(await fixture()), '}{']) {
        await using desk = await openDesk(client, broken);
        const tries = [
          () => desk.clients.connect(key, OWN, { take: [] }),
          () => desk.clients.disconnect(key),
          () => desk.clients.read(key),
        ];
        for (const attempt of tries) {
          const said = { code: 'FILE_REFUSED', data: { file: desk.path, line: expect.any(Number) } };
          await expect(attempt()).rejects.toMatchObject(said);
        }
        expect(await desk.read()).toBe(broken);
        expect((await desk.clients.list()).find((one) => one.key === key)?.problem).toContain(desk.path);
        expect(await readdir(desk.home).catch(() => [])).toEqual([]);
        expect(await readdir(dirname(desk.path))).toEqual([desk.path.split('/').at(-1)]);
      }
    });

    it('is made when there is none, and goes again', async () => {
      await using desk = await openDesk(client, undefined);
      await expect(desk.clients.disconnect(key)).rejects.toMatchObject({ code: 'NAME_UNKNOWN' });
      await desk.clients.connect(key, OWN, { take: [] });
      expect((await desk.clients.read(key)).servers).toMatchObject([{ name: 'thimble', entry: OWN }]);
      expect(((await lstat(desk.path)).mode & 0o777).toString(8)).toBe('600');
      await desk.clients.disconnect(key);
      await expect(lstat(desk.path)).rejects.toMatchObject({ code: 'ENOENT' });
    });

    it('goes again though others touched it, when nothing but Thimble was in it', async () => {
      await using desk = await openDesk(client, undefined);
      await desk.clients.connect(key, OWN, { take: [] });
      await desk.write(`${await desk.read()}\n`);
      await desk.clients.disconnect(key);
      await expect(lstat(desk.path)).rejects.toMatchObject({ code: 'ENOENT' });
    });

    it('is not written when it is read-only', async () => {
      const start = await fixture();
      await using desk = await openDesk(client, start);
      await chmod(desk.path, 0o444);
      await expect(desk.clients.connect(key, OWN, { take: [] })).rejects.toMatchObject({
        code: 'FILE_REFUSED',
      });
      expect(await desk.read()).toBe(start);
    });

    it('stays a link when it is one, and keeps its mode', async () => {
      const start = await fixture();
      await using desk = await openDesk(client, start);
      const real = join(desk.places.machine.userHome, 'dotfiles.txt');
      await writeFile(real, start);
      await chmod(real, 0o640);
      await rm(desk.path);
      await symlink(real, desk.path);
      await desk.clients.connect(key, OWN, { take: [] });
      expect((await lstat(desk.path)).isSymbolicLink()).toBe(true);
      expect((await lstat(real)).mode & 0o777).toBe(0o640);
      await desk.clients.disconnect(key);
      expect(await readFile(real, 'utf8')).toBe(start);
      expect((await lstat(desk.path)).isSymbolicLink()).toBe(true);
    });

    it('has its servers changed one by one', async () => {
      await using desk = await openDesk(client, await fixture());
      const { servers } = await desk.clients.read(key);
      const local = servers.find(({ entry }) => entry?.['command'] !== undefined);
      const name = local?.name ?? '';
      const env = { NEW_VARIABLE: 'a b', ANOTHER: 'é "quoted" \\ #' };
      await desk.clients.edit(key, [{ do: 'change', name, change: { env } }]);
      const changed = (await desk.clients.read(key)).servers.find((server) => server.name === name);
      expect(changed?.entry?.['env']).toMatchObject(env);
      await desk.clients.edit(key, [
        { do: 'change', name, change: { env: { NEW_VARIABLE: '', ANOTHER: '' } } },
      ]);
      const back = (await desk.clients.read(key)).servers.find((server) => server.name === name);
      expect(back?.entry).toEqual(local?.entry);
      await desk.clients.edit(key, [{ do: 'remove', name }]);
      expect((await desk.clients.read(key)).servers.map((server) => server.name)).not.toContain(name);
    });

    it('says how a server is switched off, or that it cannot be', async () => {
      await using desk = await openDesk(client, await fixture());
      const name = Object.entries(await expected()).find(([, entry]) => entry)?.[0] ?? '';
      const off = () => desk.clients.edit(key, [{ do: 'change', name, change: { enabled: false } }]);
      const can = client.toMemberEdits({}, { enabled: false }) !== undefined;
      if (!can) return expect(off()).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
      await off();
      const find = async () => (await desk.clients.read(key)).servers.find((server) => server.name === name);
      expect(await find()).toMatchObject({ enabled: false, entry: { enabled: false } });
      await desk.clients.edit(key, [{ do: 'change', name, change: { enabled: true } }]);
      expect((await find())?.enabled).toBe(true);
    });
  });
}

const VARIANTS: readonly (readonly [string, (text: string) => string])[] = [
  ['as it is', (text) => text],
  ['with CRLF', (text) => text.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n')],
  ['with a byte order mark', (text) => `\uFEFF${text}`],
  ['without a last line ending', (text) => text.trimEnd()],
  ['with many last line endings', (text) => `${text.trimEnd()}\n\n\n`],
];

/** The text with its last bracket, quote or line spoilt. */
function toBroken(text: string): string {
  return `${text}\n"[{\n`;
}

/** Sets up a machine with the client's file on it. */
export async function openDesk(client: Client, text: string | undefined): Promise<Desk> {
  const userHome = await mkdtemp(join(tmpdir(), 'thimble-client-'));
  const home = join(userHome, '.thimble');
  const cwd = join(userHome, 'work');
  const places: Places = { machine: { platform: 'linux', userHome }, env: {}, cwd };
  const path = client.files(places)[0] ?? '';
  await mkdir(dirname(path), { recursive: true });
  if (text !== undefined) await writeFile(path, text);
  return {
    path,
    home,
    places,
    clients: openClients({ ...places, home, now: () => new Date('2026-11-16T12:00:00Z') }),
    read: () => readFile(path, 'utf8'),
    write: (changed) => writeFile(path, changed),
    [Symbol.asyncDispose]: () => rm(userHome, { recursive: true, force: true }),
  };
}

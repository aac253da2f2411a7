/** The reference pages say what the code says: regenerate them with `npm run docs`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { toFormerNames } from '../src/admin/manage-server.ts';
import { COMMANDS } from '../src/cli/commands/registry.ts';
import { CLIENTS } from '../src/clients/known/registry.ts';
import { toConfigJsonSchema } from '../src/index.ts';
import { loadOperations } from '../src/operations/nouns/registry.ts';
import { STATES } from '../src/upstream/states.ts';
import { toMigrationPage, toOperationsPage } from './support/operation-pages.ts';
import { toCommandsPage, toConfigPage, toErrorsPage } from './support/reference.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

describe('the reference pages', () => {
  it('lists every error of the table', async () => {
    await expect(toErrorsPage()).toMatchFileSnapshot('../docs/reference/errors.md');
  });

  it('lists every command with its options and examples', async () => {
    const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
    await expect(toCommandsPage(commands)).toMatchFileSnapshot('../docs/reference/cli.md');
  });

  it('lists every operation with its inputs, on all three faces', async () => {
    await expect(toOperationsPage(await loadOperations())).toMatchFileSnapshot(
      '../docs/reference/operations.md',
    );
  });

  it('says for every tool of the 24 what became of it', async () => {
    await expect(toMigrationPage(await toFormerNames('thimble'))).toMatchFileSnapshot('../docs/migration.md');
  });

  it('lists every setting of the configuration', async () => {
    await expect(toConfigPage(toConfigJsonSchema())).toMatchFileSnapshot('../docs/reference/config.md');
  });
});

describe('the written pages', () => {
  const pages = [...readdirSync(ROOT).filter((name) => name.endsWith('.md')), ...filesUnder('docs', '.md')];

  it.each(pages)('%s links only to files that exist', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1] ?? '');
    expect(links.filter((link) => !existsSync(join(ROOT, dirname(page), link)))).toEqual([]);
  });

  it.each(pages)('%s links only to headings that exist', (page) => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)];
    const missing = links.filter(([, file, heading]) => {
      const target = file === '' ? page : join(dirname(page), file ?? '');
      return target.endsWith('.md') && !toAnchors(read(target)).includes(heading ?? '');
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  });
});

describe('the tables in written pages', () => {
  it('say of every state of a server whether calls work, in the order of the table of states', () => {
    const rows = [...read('docs/running-servers.md').matchAll(/^\| `(\w+)` \| (yes|no) \|/gm)];
    const said = rows.map(([, state, callable]) => [state, callable === 'yes']);
    expect(said).toEqual(Object.entries(STATES).map(([state, { callable }]) => [state, callable]));
  });

  it('name every variable of the environment that the code reads', () => {
    const named = [...read('docs/README.md').matchAll(/`([A-Z][A-Z_]+)`/g)].map((match) => match[1]);
    const used = filesUnder('src', '.ts')
      .filter((file) => !/\.(test|contract)\.ts$/.test(file))
      .flatMap((file) => [...read(file).matchAll(/\benv\['(THIMBLE_[A-Z_]+|CI)'\]/g)])
      .map((match) => match[1]);
    expect(used.length).toBeGreaterThan(0);
    expect([...new Set(used)].filter((name) => !named.includes(name))).toEqual([]);
  });

  it('name every client, and where its file is', () => {
    const page = read('docs/management.md');
    expect(CLIENTS.filter(({ key }) => !page.includes(`\`${key}\``))).toEqual([]);
    const inStorage = ['cline', 'roo-code', 'claude-code-project'];
    const onLinux = CLIENTS.filter(({ key }) => !inStorage.includes(key)).map((client) =>
      client.files({ machine: { platform: 'linux', userHome: '~' }, env: {}, cwd: '.' }).at(0),
    );
    const desktop = CLIENTS.filter(({ key }) => ['claude-desktop', 'vscode', 'cursor'].includes(key));
    const onMac = desktop.map((client) =>
      client.files({ machine: { platform: 'darwin', userHome: '~' }, env: {}, cwd: '.' }).at(0),
    );
    const env = { APPDATA: '%APPDATA%' };
    const onWindows = desktop.map((client) =>
      client.files({ machine: { platform: 'win32', userHome: '%USERPROFILE%' }, env, cwd: '.' }).at(0),
    );
    const files = [...onLinux, ...onMac, ...onWindows];
    expect(files.filter((file) => !page.includes(`\`${file}\``))).toEqual([]);
  });
});

/** The text of a file of the project. */
function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The files of a folder and all below it, with this ending. */
function filesUnder(folder: string, ending: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name));
}

/** What the headings of a page can be linked by. */
function toAnchors(text: string): string[] {
  const headings = [...text.matchAll(/^#{1,6} (.+)$/gm)].map((match) => match[1] ?? '');
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

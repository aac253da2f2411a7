/** The reference pages say what the code says: regenerate them with `npm run docs`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { toFormerNames } from '../src/admin/manage-server.ts';
import { COMMANDS } from '../src/cli/commands/registry.ts';
import { toConfigJsonSchema } from '../src/index.ts';
import { loadOperations } from '../src/operations/nouns/registry.ts';
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
  const pages = [
    ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
    ...readdirSync(join(ROOT, 'docs'), { recursive: true })
      .map(String)
      .filter((name) => name.endsWith('.md'))
      .map((name) => join('docs', name)),
  ];

  it.each(pages)('%s links only to files that exist', (page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1] ?? '');
    expect(links.filter((link) => !existsSync(join(ROOT, dirname(page), link)))).toEqual([]);
  });
});

/** The law of the house, kept by a test and not by good will; there is no list of exceptions. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const SRC = join(ROOT, 'src');

/** An import may only point to the right: the way a request travels, then what lies under everything. */
const ORDER = [
  'main',
  'cli',
  'admin',
  'operations',
  'clients',
  'index',
  'gateway',
  'config',
  'transport',
  'session',
  'ledger',
  'exposure',
  'policy',
  'catalog',
  'upstream',
  'builtin',
  'store',
  'events',
  'wire',
  'errors',
  'model',
  'lib',
];

/** What may be touched only behind one door. */
const DOORS: readonly { what: string; uses: RegExp; inside: RegExp }[] = [
  {
    what: 'the MCP SDK',
    uses: /(from |import\()'@modelcontextprotocol\//,
    inside: /^upstream\/credentials\//,
  },
  { what: 'the SQL driver', uses: /['"]libsql(\/promise)?['"]/, inside: /^store\/dialects\// },
  {
    what: 'child processes',
    uses: /['"]node:child_process['"]/,
    inside: /^(upstream\/connectors\/stdio\/|lib\/run-program\.ts$)/,
  },
  { what: 'the environment', uses: /\bprocess\.env\b/, inside: /^(config\/|main\.ts$)/ },
  { what: 'the exit code', uses: /\bprocess\.exit\b/, inside: /^main\.ts$/ },
  {
    what: 'the console',
    uses: /\bconsole\.|\bprocess\.(stdout|stderr)\b/,
    inside: /^(cli\/output\/|main\.ts$)/,
  },
];

const FORBIDDEN_WORDS = /(Manager|Service|Orchestrator|Helper|Utils|Processor)/;

interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly lines: number;
}

const files: SourceFile[] = walk(SRC)
  .filter((path) => path.endsWith('.ts'))
  .map((path) => {
    const text = readFileSync(path, 'utf8');
    return { path: relative(SRC, path), text, lines: text.split('\n').length - 1 };
  });
const isTest = (file: SourceFile) => /\.(test|contract|bench)\.ts$/.test(file.path);
const product = files.filter((file) => !isTest(file));

describe('the one law', () => {
  it('knows every part of the house', () => {
    const parts = new Set(files.map((file) => partOf(file.path)));
    expect([...parts].filter((part) => !ORDER.includes(part))).toEqual([]);
  });

  it('lets imports point only the way a request travels', () => {
    const backwards = product.flatMap((file) =>
      importsOf(file)
        .filter((target) => ORDER.indexOf(partOf(target)) < ORDER.indexOf(partOf(file.path)))
        .map((target) => `${file.path} -> ${target}`),
    );
    expect(backwards).toEqual([]);
  });

  it('keeps siblings of a registry from knowing one another', () => {
    const folders = registries().map(({ folder }) => folder);
    const sideways = product.flatMap((file) =>
      importsOf(file)
        .filter((target) => isSibling(file.path, target, folders))
        .map((target) => `${file.path} -> ${target}`),
    );
    expect(sideways).toEqual([]);
  });

  it.each(DOORS)('keeps $what behind one door', ({ uses, inside }) => {
    expect(
      product.filter((file) => uses.test(file.text) && !inside.test(file.path)).map((file) => file.path),
    ).toEqual([]);
  });
});

describe('the shape of the house', () => {
  it('holds files to 300 lines and tests to 500', () => {
    const long = files.filter((file) => file.lines > (isTest(file) ? 500 : 300));
    expect(long.map((file) => `${file.path}: ${file.lines}`)).toEqual([]);
  });

  it('names every folder beside a registry in it, with a test that runs the contract suite', () => {
    const missing = registries().flatMap(({ folder, text }) =>
      subfoldersOf(folder).flatMap((name) => {
        const faults: string[] = [];
        if (!text.includes(`./${name}/`)) faults.push(`${relative(SRC, folder)}/${name} is not registered`);
        const tests = walk(join(folder, name)).filter((path) => path.endsWith('.test.ts'));
        if (!tests.some((path) => /run\w*Contract/.test(readFileSync(path, 'utf8')))) {
          faults.push(`${relative(SRC, folder)}/${name} has no test that runs the contract suite`);
        }
        return faults;
      }),
    );
    expect(missing).toEqual([]);
  });

  it('opens every file with one sentence on what it is for', () => {
    expect(product.filter((file) => !/^(#!.*\n)?\/\*\* \S/.test(file.text)).map((file) => file.path)).toEqual(
      [],
    );
  });

  it('documents every export', () => {
    const bare = product.flatMap((file) => {
      const lines = file.text.split('\n');
      return lines.flatMap((line, index) => {
        if (!/^export (async )?(function|const|interface|type|class) \w/.test(line)) return [];
        return lines[index - 1]?.trimEnd().endsWith('*/') ? [] : [`${file.path}:${index + 1}`];
      });
    });
    expect(bare).toEqual([]);
  });

  it('has no default exports, barrels, any, or words that hide what a thing does', () => {
    const faults = product.flatMap((file) => {
      const found: string[] = [];
      if (/^export default/m.test(file.text)) found.push('default export');
      if (/^export \*/m.test(file.text)) found.push('barrel');
      if (/: any\b|as any\b|<any>/.test(file.text)) found.push('any');
      const word = FORBIDDEN_WORDS.exec(file.text.match(/^export .*$/gm)?.join('\n') ?? '');
      if (word) found.push(`the word ${word[0]}`);
      return found.map((fault) => `${file.path}: ${fault}`);
    });
    expect(faults).toEqual([]);
  });

  it('has no module-level mutable state', () => {
    const mutable = product.filter((file) => /^(export )?(let|var) /m.test(file.text));
    expect(mutable.map((file) => file.path)).toEqual([]);
  });
});

function walk(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? walk(path) : [path];
  });
}

function partOf(path: string): string {
  const [first = ''] = path.split('/');
  return first.replace(/\.ts$/, '');
}

/** Relative imports of a file, as paths from src. */
function importsOf(file: SourceFile): string[] {
  const specifiers = [...file.text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(
    (match) => match[1] ?? '',
  );
  return specifiers.map((specifier) => relative(SRC, resolve(SRC, dirname(file.path), specifier)));
}

function registries(): { folder: string; text: string }[] {
  return walk(SRC)
    .filter((path) => /\/(registry|order)\.ts$/.test(path))
    .map((path) => ({ folder: dirname(path), text: readFileSync(path, 'utf8') }));
}

function subfoldersOf(folder: string): string[] {
  return readdirSync(folder).filter((name) => statSync(join(folder, name)).isDirectory());
}

/** True when one implementation beside one of these registries imports another. */
function isSibling(from: string, to: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const base = `${relative(SRC, folder)}/`;
    if (!from.startsWith(base) || !to.startsWith(base)) return false;
    const [a, ...restA] = from.slice(base.length).split('/');
    const [b, ...restB] = to.slice(base.length).split('/');
    return (
      a !== b &&
      restA.length > 0 &&
      restB.length > 0 &&
      existsSync(join(folder, a ?? '')) &&
      existsSync(join(folder, b ?? ''))
    );
  });
}

import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UpstreamConfig } from '../../upstream/upstream.ts';
import { readProject } from './facts.ts';
import { findHelp } from './helpful-servers.ts';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'thimble-project-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}

describe('reading a project', () => {
  it('finds languages, frameworks, services, tests and pipelines, each with its reason', async () => {
    await write({
      'package.json': JSON.stringify({
        dependencies: { next: '15', react: '19', pg: '8' },
        devDependencies: { vitest: '4' },
      }),
      'package-lock.json': '{}',
      'src/a.ts': '',
      'src/b.tsx': '',
      'src/a.test.ts': '',
      'tools/x.py': '',
      'node_modules/vue/package.json': JSON.stringify({ dependencies: { vue: '3' } }),
      'compose.yaml': 'services:\n  cache:\n    image: "ghcr.io/valkey/valkey:8"\n',
      '.github/workflows/ci.yml': 'on: push\njobs: {}\n',
      '.env.example': 'STRIPE_KEY=sk_live_abcdefghijkl\n',
      'README.md': 'Errors go to Sentry. Linear time.',
    });
    const facts = await readProject(root);
    expect(facts.languages).toEqual([
      { name: 'TypeScript', files: 3 },
      { name: 'Python', files: 1 },
    ]);
    expect(facts.packageManagers).toEqual(['npm']);
    expect(facts.tests).toEqual(['Vitest']);
    expect(facts.ci).toEqual(['GitHub Actions']);
    expect(facts.keyFiles).toEqual(['README.md', 'compose.yaml', 'package.json']);
    expect(facts.truncated).toBe(false);
    const reasons = Object.fromEntries(facts.findings.map(({ name, because }) => [name, because]));
    expect(reasons).toEqual({
      'Next.js': 'next in package.json',
      React: 'react in package.json',
      GitHub: '.github/workflows/ci.yml',
      PostgreSQL: 'pg in package.json',
      Redis: 'ghcr.io/valkey/valkey:8 in compose.yaml',
      Docker: 'compose.yaml',
      Stripe: 'STRIPE_KEY in .env.example',
      Sentry: 'sentry in README.md',
    });
    expect(JSON.stringify(facts)).not.toContain('sk_live');
  });

  it.each([
    [
      'pyproject.toml',
      '[project]\ndependencies = ["FastAPI[all]>=0.1", "psycopg[binary]"]',
      ['FastAPI', 'PostgreSQL'],
    ],
    ['pyproject.toml', '[tool.poetry.dependencies]\nDjango = "5"', ['Django']],
    ['requirements-dev.txt', 'Flask==3\n# redis\nredis>=5\n', ['Flask', 'Redis']],
    [
      'go.mod',
      'module x\n\nrequire (\n\tgithub.com/gin-gonic/gin v1.9\n\tgithub.com/jackc/pgx/v5 v5.1\n)\n',
      ['Gin', 'PostgreSQL'],
    ],
    ['Cargo.toml', '[dependencies]\naxum = "0.8"\n', ['Axum']],
    ['Gemfile', "gem 'rails', '~> 8'\n", ['Rails']],
    ['composer.json', '{"require":{"laravel/framework":"^12"}}', ['Laravel']],
    ['pom.xml', '<artifactId>spring-boot-starter-web</artifactId>', ['Spring Boot']],
    ['Dockerfile', 'FROM --platform=linux/amd64 postgres:17\n', ['PostgreSQL', 'Docker']],
    ['main.tf', 'resource {}', ['Terraform']],
  ])('reads %s', async (path, text, names) => {
    await write({ [path]: text });
    const { findings } = await readProject(root);
    expect(findings.map(({ name }) => name).sort()).toEqual([...names].sort());
  });

  it('takes files that are not what their name says for nothing', async () => {
    await write({
      'package.json': '{"dependencies": 5',
      'pyproject.toml': '= no',
      'composer.json': '[1]',
      'Cargo.toml': 'dependencies = 3',
    });
    expect((await readProject(root)).findings).toEqual([]);
  });

  it('follows no link and survives a directory that is not there', async () => {
    await symlink('/etc', join(root, 'etc'));
    await symlink('/etc/passwd', join(root, 'package.json'));
    expect(await readProject(root)).toMatchObject({ languages: [], findings: [], keyFiles: [] });
    expect(await readProject(join(root, 'missing'))).toMatchObject({ languages: [], truncated: false });
  });

  it('looks at so much and says that there is more', async () => {
    await write({ 'a/b/c/d/e/f/g/h/i/deep.ts': '' });
    expect(await readProject(root)).toMatchObject({ truncated: true, languages: [] });
  });
});

describe('what would help', () => {
  const upstream = (name: string, options: UpstreamConfig['options']): UpstreamConfig =>
    ({ id: name, name, kind: 'stdio', options, tags: [], enabled: true }) as unknown as UpstreamConfig;
  const findings = [
    { name: 'PostgreSQL', is: 'service', because: 'pg in package.json', words: ['postgres', 'postgresql'] },
    { name: 'Slack', is: 'service', because: 'SLACK_ID in .env', words: ['slack'] },
  ] as const;

  it('names configured servers by what they are called or run, and what to search for otherwise', () => {
    const servers = [
      upstream('db', { command: 'npx', args: ['-y', '@acme/server-postgres', 'x'] }),
      upstream('other', { command: 'notpostgres' }),
    ];
    expect(findHelp(findings, servers, new Map())).toEqual({
      fitting: [{ id: 'db', name: 'db', because: ['PostgreSQL (pg in package.json)'] }],
      lacking: [{ search: 'slack', because: 'Slack (SLACK_ID in .env)' }],
    });
  });

  it('knows a remote server by its address, without what stands in its query', () => {
    const at = (url: string) => findHelp(findings.slice(1), [upstream('x', { url })], new Map()).fitting;
    expect(at('https://mcp.slack.example/mcp')).toHaveLength(1);
    expect(at('https://mcp.example/mcp?team=slack')).toEqual([]);
    expect(at(`\${env:URL}`)).toEqual([]);
  });
});

import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runProgram } from '../../../lib/run-program.ts';
import type { JsonObject } from '../../../model/json.ts';
import { runOperationContract } from '../../operation.contract.ts';
import { openTestHouse, type TestHouse } from '../../test-house.contract.ts';
import { PROJECT } from './operations.ts';

runOperationContract('project', PROJECT);

async function openHouse(files: Readonly<Record<string, string>> = {}): Promise<TestHouse> {
  const house = await openTestHouse({ env: { PATH: process.env['PATH'] } });
  await mkdir(house.cwd, { recursive: true });
  await write(house, files);
  return house;
}

async function write({ cwd }: TestHouse, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), text);
  }
}

async function git(house: TestHouse, ...args: readonly string[]): Promise<void> {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false'];
  const options = {
    cwd: house.cwd,
    env: { PATH: process.env['PATH'] },
    timeoutMs: 15_000,
    maxBytes: 100_000,
  };
  const { code, stderr } = await runProgram('git', [...identity, ...args], options);
  expect(code, stderr).toBe(0);
}

async function openRepository(files: Readonly<Record<string, string>>): Promise<TestHouse> {
  const house = await openHouse(files);
  await git(house, 'init', '--quiet', '--initial-branch=main');
  await git(house, 'add', '-A');
  await git(house, 'commit', '--quiet', '-m', 'first');
  return house;
}

function prepare(verb: string, args: JsonObject = {}) {
  const operation = PROJECT.find((each) => each.verb === verb);
  if (!operation) throw new Error(verb);
  return operation.prepare(args);
}

describe('analyzing a project', () => {
  it('knows that it is under git also below the root', async () => {
    await using house = await openRepository({ 'packages/a/a.ts': '' });
    const { output } = await prepare('analyze').run({ ...house, cwd: join(house.cwd, 'packages', 'a') });
    expect(output['configs']).toContain('git');
  });

  it('says what it is made of and which servers suit it', async () => {
    await using house = await openRepository({
      'package.json':
        '{ "dependencies": { "react": "19", "pg": "8", "stripe": "1" }, "devDependencies": { "vitest": "4" } }',
      'src/a.ts': '',
    });
    await mkdir(house.home, { recursive: true });
    await writeFile(
      join(house.home, 'thimble.jsonc'),
      '{ "mcpServers": { "postgres": { "command": "p" } } }',
    );
    const { output, text } = await prepare('analyze').run(house);
    expect(output).toMatchObject({
      languages: [{ name: 'TypeScript', files: 1 }],
      frameworks: [{ name: 'React', because: 'react in package.json' }],
      tests: ['Vitest'],
      configs: ['git'],
      servers: [{ name: 'postgres' }],
      search: [{ query: 'stripe' }],
    });
    expect(text).toContain('Frameworks: React (react in package.json)');
    expect(text).toContain('thimble search stripe');
  });

  it('has an answer for an empty directory', async () => {
    await using house = await openHouse();
    expect((await prepare('analyze').run(house)).text).toContain('Languages: none found');
  });
});

describe('the diff of a project', () => {
  it('shows the branch, the files and what changed in them', async () => {
    await using house = await openRepository({ 'a.txt': 'one\n', 'b.txt': 'x\n' });
    await write(house, { 'a.txt': 'two\n', 'b.txt': 'y\n', 'new file.txt': '' });
    await git(house, 'add', 'b.txt');
    const { output, text } = await prepare('diff').run(house);
    expect(output).toMatchObject({ branch: 'main', truncated: false, hidden: 0 });
    expect(output['status']).toEqual([' M a.txt', 'M  b.txt', '?? "new file.txt"']);
    expect(output['diff']).toContain('-one\n+two');
    expect(output['diff']).not.toContain('+y');
    expect(text).toContain('1 file changed, 1 insertion(+), 1 deletion(-)');
    const staged = await prepare('diff', { staged: true }).run(house);
    expect(staged.output['diff']).toContain('-x\n+y');
    expect(staged.output['diff']).not.toContain('+two');
  });

  it('names lock files and leaves what changed in them out', async () => {
    await using house = await openRepository({
      'a/package-lock.json': '1\n',
      'yarn.lock': '1\n',
      'b.txt': '1\n',
    });
    await write(house, { 'a/package-lock.json': '2\n', 'yarn.lock': '2\n', 'b.txt': '2\n' });
    const { output, text } = await prepare('diff').run(house);
    expect(output['status']).toHaveLength(3);
    expect(String(output['diff']).match(/^diff --git .*$/gm)).toEqual(['diff --git a/b.txt b/b.txt']);
    expect(text).toContain('Lock files are not in the diff.');
    const below = await prepare('diff').run({ ...house, cwd: join(house.cwd, 'a') });
    expect(below.output['diff']).toBe(output['diff']);
  });

  it('says where the changes are that an empty diff does not show', async () => {
    await using house = await openHouse({ 'a.txt': 'one\n' });
    await git(house, 'init', '--quiet', '--initial-branch=main');
    const fresh = await prepare('diff').run(house);
    expect(fresh.text).toContain('On main (no commits yet)');
    expect(fresh.text).toContain('once git add took them');
    expect((await prepare('diff', { staged: true }).run(house)).text).toContain('Nothing is staged.');
    await git(house, 'add', '-A');
    expect((await prepare('diff').run(house)).text).toContain('shown with --staged');
    expect((await prepare('diff', { staged: true }).run(house)).text).toContain('+one');
  });

  it('stops at the limit, between lines, and says so', async () => {
    await using house = await openRepository({ 'a.txt': '' });
    await write(house, { 'a.txt': Array.from({ length: 5_000 }, (_, index) => `line ${index}\n`).join('') });
    const { output, text } = await prepare('diff', { limit: 2_000 }).run(house);
    expect(output['truncated']).toBe(true);
    expect(String(output['diff']).length).toBeLessThanOrEqual(2_000);
    expect(output['diff']).toMatch(/\+line \d+\n$/);
    expect(text).toContain('Cut here');
  });

  it('leaves secrets out', async () => {
    await using house = await openRepository({ '.env': 'A=1\n', 'a.ts': '', 'key.pem': '' });
    await write(house, {
      '.env': 'A=2\nDB_PASSWORD=tulip-4711 red\nexport API_TOKEN=kestrel9\n',
      'a.ts':
        'const apiKey = "heron-32-lake";\nconst token = readToken();\nfetch("https://me:wren55@example.com/x");\n// ghp_abcdefghijklmnopqrstuvwx0123\n',
      'key.pem': '-----BEGIN PRIVATE KEY-----\nMIIfinch\nmore\n-----END PRIVATE KEY-----\n',
    });
    await (await house.secrets()).save('x', 'a plain sentence');
    await write(house, {
      'key.pem': `${await readFile(join(house.cwd, 'key.pem'), 'utf8')}a plain sentence\n`,
    });
    const { output, text } = await prepare('diff').run(house);
    expect(text).not.toContain('a plain sentence');
    for (const secret of ['tulip', 'red', 'kestrel9', 'heron', 'wren55', 'ghp_abc', 'finch', 'more'])
      expect(text.replace('(a larger limit', '')).not.toContain(secret);
    expect(output['diff']).toContain('+A=2');
    expect(output['diff']).toContain('const token = readToken();');
    expect(text).toContain('a secret is left out');
  });

  it('leaves out what is written into the configuration as a secret', async () => {
    await using house = await openRepository({ 'a.txt': '' });
    await mkdir(house.home, { recursive: true });
    const mcpServers = { mail: { command: 'mail', env: { MAIL_PASSWORD: 'seven grey herons' } } };
    await writeFile(join(house.home, 'thimble.jsonc'), JSON.stringify({ mcpServers }));
    await write(house, { 'a.txt': 'we saw seven grey herons\n' });
    const { output } = await prepare('diff').run(house);
    expect(output['diff']).not.toContain('seven grey herons');
    expect(output['hidden']).toBe(1);
  });

  it('runs nothing that a repository names', async () => {
    await using house = await openRepository({
      'a.txt': 'one\n',
      '.gitattributes': '*.txt filter=evil diff=evil\n',
    });
    const bait = join(house.cwd, '..', 'bait');
    const script = join(house.cwd, '..', 'evil.sh');
    await writeFile(script, `#!/bin/sh\ntouch ${bait}\ncat\n`);
    await chmod(script, 0o755);
    const settings = [
      'filter.evil.clean',
      'filter.evil.process',
      'diff.evil.command',
      'diff.evil.textconv',
      'diff.external',
      'core.fsmonitor',
      'core.pager',
    ];
    for (const setting of settings) await git(house, 'config', setting, script);
    await git(house, 'config', 'filter.evil.required', 'true');
    await writeFile(join(house.cwd, '.git', 'hooks', 'post-index-change'), `#!/bin/sh\ntouch ${bait}\n`, {
      mode: 0o755,
    });
    await rm(bait, { force: true });
    await write(house, { 'a.txt': 'two\n' });
    const { output } = await prepare('diff').run(house);
    expect(output['diff']).toContain('-one\n+two');
    await expect(stat(bait)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('says what to do outside of a repository, without git, and in no directory', async () => {
    await using house = await openHouse();
    await expect(prepare('diff').run(house)).rejects.toMatchObject({
      code: 'FILE_REFUSED',
      message: expect.stringContaining('thimble project devops --git'),
    });
    const bare = { ...house, env: { PATH: '/nowhere' } };
    await expect(prepare('diff').run(bare)).rejects.toMatchObject({
      message: expect.stringContaining('installed'),
    });
    await expect(prepare('diff').run({ ...house, cwd: '/surely/not' })).rejects.toMatchObject({
      code: 'FILE_REFUSED',
    });
  });
});

describe('setting a project up', () => {
  it('shows every file first, and writes them as shown', async () => {
    await using house = await openHouse({ 'main.py': '' });
    const prepared = prepare('devops', { ci: true, git: true });
    const plan = await prepared.plan(house);
    expect(plan?.details).toContain(`run git init in ${house.cwd}`);
    expect(plan?.details).toContain('+      - id: ruff');
    expect(plan?.details).toContain('+      - run: pytest');
    expect(await readdir(house.cwd)).toEqual(['main.py']);
    const { output } = await prepared.run(house);
    expect(output).toMatchObject({
      type: 'python',
      written: ['.gitignore', '.pre-commit-config.yaml', '.github/workflows/ci.yml'],
      initialised: true,
    });
    expect(await readFile(join(house.cwd, '.gitignore'), 'utf8')).toContain('__pycache__/');
    expect((await stat(join(house.cwd, '.git'))).isDirectory()).toBe(true);
    expect((await stat(join(house.cwd, '.gitignore'))).mode & 0o777).toBe(0o644);
    expect(await prepare('devops', { ci: true, git: true }).plan(house)).toBeUndefined();
  });

  it('keeps what is there, and with force keeps a copy of it', async () => {
    await using house = await openHouse({ '.gitignore': 'mine\n', 'a.ts': '' });
    const kept = await prepare('devops').run(house);
    expect(kept.output).toMatchObject({
      written: ['.pre-commit-config.yaml'],
      kept: ['.gitignore'],
      initialised: false,
    });
    const prepared = prepare('devops', { force: true });
    expect((await prepared.plan(house))?.details).toContain('-mine');
    const { output } = await prepared.run(house);
    const [backup] = output['backups'] as string[];
    expect(await readFile(backup ?? '', 'utf8')).toBe('mine\n');
    expect(await readFile(join(house.cwd, '.gitignore'), 'utf8')).toContain('node_modules/');
  });

  it('adds no second pipeline', async () => {
    await using house = await openHouse({ '.github/workflows/test.yml': 'on: push\n', 'a.go': '' });
    const { output, text } = await prepare('devops', { ci: true }).run(house);
    expect(output['written']).toEqual(['.gitignore', '.pre-commit-config.yaml']);
    expect(text).toContain('No pipeline was written beside that of GitHub Actions; --force');
  });

  it('tells what is as it should be from what it left alone, also with force', async () => {
    await using house = await openHouse({ 'a.go': '' });
    await prepare('devops').run(house);
    await write(house, { '.gitignore': 'mine\n' });
    const again = await prepare('devops').run(house);
    expect(again.output).toMatchObject({ kept: ['.gitignore'], same: ['.pre-commit-config.yaml'] });
    await prepare('devops', { force: true }).run(house);
    const { output, text } = await prepare('devops', { force: true }).run(house);
    expect(output).toMatchObject({ written: [], kept: [] });
    expect(text).toBe('Already as they should be: .gitignore, .pre-commit-config.yaml.');
  });

  it('writes through no link', async () => {
    await using house = await openHouse();
    await symlink('/tmp', join(house.cwd, '.github'));
    await expect(prepare('devops', { type: 'go', ci: true }).plan(house)).rejects.toMatchObject({
      code: 'FILE_REFUSED',
    });
    await rm(join(house.cwd, '.github'));
    await symlink(join(house.cwd, 'elsewhere'), join(house.cwd, '.gitignore'));
    await expect(prepare('devops', { force: true }).run(house)).rejects.toMatchObject({
      code: 'FILE_REFUSED',
    });
    expect(await readdir(house.cwd)).toEqual(['.gitignore']);
  });
});

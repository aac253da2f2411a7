/** `project devops`: hooks, ignored files and a pipeline for the project; what is there is kept. */
import { chmod, lstat, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { editFile, readText } from '../../../lib/edit-file.ts';
import { saveBackup } from '../../files/backups.ts';
import { refusing } from '../../files/refusing.ts';
import type { House } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { readProject } from '../../project-facts/facts.ts';
import { toDiffLines } from '../../shown/diff-lines.ts';
import { initRepository } from './git.ts';
import { hideDiff } from './hide-diff.ts';
import { CI_PATH, PROJECT_TYPES, type ProjectType, type StackFile, toStack } from './stack.ts';

const INPUT = z.object({
  type: z.enum(PROJECT_TYPES).optional().describe('kind of project; found out'),
  ci: z.boolean().default(false).describe('a pipeline too'),
  git: z.boolean().default(false).describe('git init if needed'),
  force: z.boolean().default(false).describe('overwrite'),
});

const OUTPUT = z.object({
  type: z.string(),
  written: z.array(z.string()),
  /** What was there already and is as it was. */
  kept: z.array(z.string()),
  /** Where the files are that were overwritten. */
  backups: z.array(z.string()),
  /** True when a repository was made. */
  initialised: z.boolean(),
});

/** A file as it is and as it would be. */
interface Change extends StackFile {
  readonly at: string;
  readonly before: string | undefined;
  readonly writes: boolean;
}

interface Work {
  readonly type: ProjectType;
  readonly changes: readonly Change[];
  readonly init: boolean;
}

/** Sets a project up. */
export const devops = defineOperation({
  noun: 'project',
  verb: 'devops',
  summary: 'set up hooks, .gitignore and CI',
  input: INPUT,
  output: OUTPUT,
  effects: 'acts',
  destructive: true,
  formerly: ['apply_devops_stack'],
  examples: [{}, { type: 'python', ci: true }],
  async plan(input, house) {
    const { changes, init } = await prepare(input, house);
    const writes = changes.filter((change) => change.writes);
    if (writes.length === 0 && !init) return undefined;
    const diffs = writes.flatMap(({ path, before, text }) => toDiffLines(path, before, text));
    return {
      summary: `set up the project in ${house.cwd}`,
      details: [
        ...(init ? [`run git init in ${house.cwd}`] : []),
        ...hideDiff(diffs.join('\n')).text.split('\n'),
      ],
    };
  },
  async run(input, house) {
    const { type, changes, init } = await prepare(input, house);
    if (init) await initRepository(house);
    const backups: string[] = [];
    for (const change of changes.filter(({ writes }) => writes)) {
      if (change.before !== undefined)
        backups.push(await saveBackup(house, change.path.replaceAll('/', '-'), change.before));
      await write(change);
    }
    const pick = (writes: boolean) =>
      changes.filter((change) => change.writes === writes).map(({ path }) => path);
    return { type: type ?? 'unknown', written: pick(true), kept: pick(false), backups, initialised: init };
  },
  toText({ type, written, kept, backups, initialised }) {
    const lines = initialised ? ['Made a git repository.'] : [];
    if (written.length > 0) lines.push(`Wrote ${written.join(', ')} for a project of type ${type}.`);
    if (kept.length > 0)
      lines.push(
        `Left as they were: ${kept.join(', ')}; with force they are overwritten and a copy is kept.`,
      );
    if (backups.length > 0) lines.push(`Copies of what was overwritten: ${backups.join(', ')}`);
    if (written.includes('.pre-commit-config.yaml'))
      lines.push('Next: pre-commit autoupdate && pre-commit install');
    return lines.join('\n');
  },
});

async function prepare(input: z.output<typeof INPUT>, house: House): Promise<Work> {
  const root = await findRoot(house.cwd);
  const facts = await readProject(root, house.signal);
  const type = input.type ?? toType(facts.languages.map(({ name }) => name));
  const hasPipeline = facts.ci.length > 0;
  const files = toStack(type, input.ci).filter(({ path }) => path !== CI_PATH || !hasPipeline || input.force);
  const changes = await Promise.all(files.map((file) => toChange(file, root, input.force)));
  return { type, changes, init: input.git && !(await isRepository(root)) };
}

async function findRoot(cwd: string): Promise<string> {
  const found = await stat(cwd).catch(() => undefined);
  if (found?.isDirectory()) return realpath(cwd);
  throw new GatewayError('FILE_REFUSED', `${cwd} is no directory; go into the project and try again`);
}

/** The first language that there are files for. */
function toType(languages: readonly string[]): ProjectType {
  const types: Readonly<Record<string, ProjectType>> = {
    TypeScript: 'typescript',
    JavaScript: 'node',
    Python: 'python',
    Go: 'go',
    Rust: 'rust',
  };
  return languages.flatMap((name) => types[name] ?? [])[0];
}

async function toChange(file: StackFile, root: string, force: boolean): Promise<Change> {
  const at = join(root, file.path);
  await refuseLinks(at, root);
  const before = await refusing(at, 'read', () => readText(at));
  return { ...file, at, before, writes: before === undefined || (force && before !== file.text) };
}

/** A link may lead anywhere; what is written stays in the project. */
async function refuseLinks(at: string, root: string): Promise<void> {
  for (let path = at; path.length > root.length; path = dirname(path)) {
    const found = await lstat(path).catch(() => undefined);
    const isLast = path === at;
    if (!found || (isLast ? found.isFile() : found.isDirectory())) continue;
    throw new GatewayError(
      'FILE_REFUSED',
      `${path} is a link or not a ${isLast ? 'file' : 'directory'}, so nothing was written; move it away and try again`,
    );
  }
}

async function write({ at, before, text }: Change): Promise<void> {
  // Whoever else wrote it since the plan was made is not overwritten.
  const { after } = await refusing(at, 'written', () =>
    editFile(at, (now) => (now === before ? text : (now ?? text))),
  );
  if (after !== text)
    throw new GatewayError(
      'FILE_REFUSED',
      `${at} was changed by somebody else just now and is left as it is; look at it and try again`,
    );
  // New files of a home are private; those of a project are for all who work on it.
  if (before === undefined) await chmod(at, 0o644);
}

/** Also below the root of one: a repository in a repository is nobody's wish. */
async function isRepository(folder: string): Promise<boolean> {
  const found = await stat(join(folder, '.git')).catch(() => undefined);
  const parent = dirname(folder);
  return found !== undefined || (parent !== folder && isRepository(parent));
}

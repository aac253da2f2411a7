/** `project devops`: hooks, ignored files and a pipeline for the project; what is there is kept. */
import { chmod, lstat, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { saveBackup } from '../../../config/backups.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { refusing } from '../../../errors/refusing.ts';
import { editFile, readText } from '../../../lib/edit-file.ts';
import type { House } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { readProject } from '../../project-facts/facts.ts';
import { isRepository } from '../../project-facts/repository.ts';
import { readSecretTexts } from '../../secrets/kept-values.ts';
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
  /** What was there already, differs, and is as it was. */
  kept: z.array(z.string()),
  /** What was there already and is what would be written. */
  same: z.array(z.string()),
  /** What runs the pipeline that is there, where another was asked for and is not written. */
  pipeline: z.string().optional(),
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
  /** The pipeline beside which no second one is written. */
  readonly pipeline: string | undefined;
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
        ...hideDiff(diffs.join('\n'), await readSecretTexts(house)).text.split('\n'),
      ],
    };
  },
  async run(input, house) {
    const { type, changes, init, pipeline } = await prepare(input, house);
    if (init) await initRepository(house);
    const backups: string[] = [];
    for (const change of changes.filter(({ writes }) => writes)) {
      if (change.before !== undefined)
        backups.push(saveBackup(house, change.path.replaceAll('/', '-'), change.before));
      await write(change);
    }
    const pick = (isMeant: (change: Change) => boolean) => changes.filter(isMeant).map(({ path }) => path);
    return {
      type: type ?? 'unknown',
      written: pick(({ writes }) => writes),
      kept: pick(({ writes, before, text }) => !writes && before !== text),
      same: pick(({ writes, before, text }) => !writes && before === text),
      ...(pipeline !== undefined && { pipeline }),
      backups,
      initialised: init,
    };
  },
  toText({ type, written, kept, same, pipeline, backups, initialised }) {
    const lines = initialised ? ['Made a git repository.'] : [];
    const kind = type === 'unknown' ? 'any project; say of what kind it is with --type' : `a ${type} project`;
    if (written.length > 0) lines.push(`Wrote ${written.join(', ')} for ${kind}.`);
    if (kept.length > 0)
      lines.push(
        `Left as they were: ${kept.join(', ')}; with --force they are overwritten and a copy is kept.`,
      );
    if (same.length > 0) lines.push(`Already as they should be: ${same.join(', ')}.`);
    if (pipeline !== undefined)
      lines.push(`No pipeline was written beside that of ${pipeline}; --force writes one all the same.`);
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
  const all = await Promise.all(toStack(type, input.ci).map((file) => toChange(file, root, input.force)));
  const [pipeline] = input.force ? [] : facts.ci;
  const isSecond = ({ path, before }: Change) =>
    path === CI_PATH && before === undefined && pipeline !== undefined;
  const changes = all.filter((change) => !isSecond(change));
  const init = input.git && !(await isRepository(root));
  return { type, pipeline: all.some(isSecond) ? pipeline : undefined, changes, init };
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

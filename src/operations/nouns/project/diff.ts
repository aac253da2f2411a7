/** `project diff`: what changed in the working directory, bounded, without secrets. */
import * as z from 'zod';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { defineOperation } from '../../operation.ts';
import { readSecretTexts } from '../../secrets/kept-values.ts';
import { openGit, toReason } from './git.ts';
import { hideDiff } from './hide-diff.ts';

const MAX_BYTES = 200_000;
const DEFAULT_BYTES = 20_000;
const MAX_STATUS = 100;

const OUTPUT = z.object({
  branch: z.string(),
  /** Whether only what is staged was asked for. */
  staged: z.boolean(),
  /** As `git status --porcelain` writes them. */
  status: z.array(z.string()),
  /** How many more files there are than are listed. */
  more: z.int(),
  /** Such as `2 files changed, 5 insertions(+)`; empty when nothing did. */
  summary: z.string(),
  diff: z.string(),
  truncated: z.boolean(),
  /** How many lines had a secret that is left out. */
  hidden: z.int(),
});

/** What every diff is made with: nothing of the repository's own making is run. */
const QUIET = [
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--submodule=short',
  '--ignore-submodules=dirty',
];

/** Written by programs and read by nobody; they would take all the room. */
const LOCK_FILES: readonly string[] = [
  'Cargo.lock',
  'Gemfile.lock',
  'bun.lock',
  'composer.lock',
  'go.sum',
  'npm-shrinkwrap.json',
  'package-lock.json',
  'pnpm-lock.yaml',
  'poetry.lock',
  'uv.lock',
  'yarn.lock',
];
const WHERE = ['--', ':/', ...LOCK_FILES.map((name) => `:(top,exclude,glob)**/${name}`)];

/** Shows what changed. */
export const diff = defineOperation({
  noun: 'project',
  verb: 'diff',
  summary: 'what changed, as git sees it',
  input: z.object({
    staged: z.boolean().default(false).describe('only what is staged'),
    limit: z.int().min(1_000).max(MAX_BYTES).default(DEFAULT_BYTES).describe('bytes of diff'),
  }),
  output: OUTPUT,
  effects: 'reads',
  formerly: ['fetch_diff_context'],
  examples: [{}, { staged: true, limit: 5_000 }],
  async run({ staged, limit }, house) {
    const git = await openGit(house);
    const asked = ['diff', ...(staged ? ['--cached'] : []), ...QUIET];
    const [status, short, whole] = [
      await git.run(['status', '--porcelain=v1', '--branch', '--ignore-submodules=dirty']),
      await git.run([...asked, '--shortstat']),
      await git.run([...asked, ...WHERE], limit),
    ];
    if (whole.end !== 'exited' && whole.end !== 'cut') throw failed(house.cwd, whole.end);
    if (whole.end === 'exited' && whole.code !== 0) throw failed(house.cwd, toReason(whole.stderr));
    const [branch = '', ...files] = status.stdout.split('\n').filter((line) => line !== '');
    // Half a line may end in the middle of a secret, which nothing would recognise.
    const text = whole.truncated ? whole.stdout.slice(0, whole.stdout.lastIndexOf('\n') + 1) : whole.stdout;
    const shown = hideDiff(text, await readSecretTexts(house));
    return {
      branch: toBranch(branch),
      staged,
      status: files.slice(0, MAX_STATUS),
      more: Math.max(0, files.length - MAX_STATUS),
      summary: short.stdout.trim(),
      diff: shown.text,
      truncated: whole.truncated,
      hidden: shown.hidden,
    };
  },
  toText({ branch, staged, status, more, summary, diff: text, truncated, hidden }) {
    const files = [...status, ...(more > 0 ? [`(and ${more} more files)`] : [])];
    const lines = [`On ${branch}`, ...(files.length > 0 ? files : ['Nothing has changed.'])];
    if (summary !== '') lines.push(summary);
    if (text !== '') lines.push('', text.trimEnd());
    else lines.push(...toHints(status, staged));
    if (truncated)
      lines.push('', `Cut here: the diff is longer; a larger limit (up to ${MAX_BYTES} bytes) shows more.`);
    if (files.some((file) => LOCK_FILES.some((name) => file.endsWith(name))))
      lines.push('Lock files are not in the diff.');
    if (hidden > 0) lines.push(`In ${hidden} ${hidden === 1 ? 'line' : 'lines'} a secret is left out.`);
    return lines.join('\n');
  },
});

/** `No commits yet on main` is `main (no commits yet)`. */
function toBranch(line: string): string {
  return line.replace(/^## /, '').replace(/^No commits yet on (.*)$/, '$1 (no commits yet)');
}

/** Where the changes are that an empty diff does not show. */
function toHints(status: readonly string[], staged: boolean): string[] {
  const isStaged = status.some((file) => /^[^ ?]/.test(file));
  if (staged) return status.length > 0 && !isStaged ? ['Nothing is staged.'] : [];
  return [
    ...(isStaged ? ['What is staged is shown with --staged.'] : []),
    ...(status.some((file) => file.startsWith('??'))
      ? ['New files (??) are shown once git add took them.']
      : []),
  ];
}

function failed(cwd: string, why: string): GatewayError {
  return new GatewayError(
    'FILE_REFUSED',
    `git could not make a diff of ${cwd} (${why}); try git diff there by hand to see what is the matter`,
  );
}

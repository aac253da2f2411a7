/** Asks git about the working directory, and keeps what a repository says of itself from running anything. */
import { toBaseEnvironment } from '../../../config/environment.ts';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { type ProgramResult, runProgram } from '../../../lib/run-program.ts';
import type { House } from '../../house.ts';

const TIMEOUT_MS = 20_000;
const SMALL_BYTES = 256 * 1024;

/** Settings that hold over those of the repository: no watcher, no hook, no pager. */
const HARMLESS: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['core.pager', 'cat'],
  ['protocol.allow', 'never'],
];

/** Git in one directory. */
export interface Git {
  run(args: readonly string[], maxBytes?: number): Promise<ProgramResult>;
}

/** Opens git in the working directory; refuses one that is no repository. */
export async function openGit(house: House): Promise<Git> {
  const bare = createGit(house, HARMLESS);
  const found = await bare.run(['rev-parse', '--is-inside-work-tree']);
  if (found.end === 'not-started') throw noGit(house.cwd);
  if (found.stdout.trim() !== 'true') throw noRepository(house.cwd, found.stderr);
  return createGit(house, [...HARMLESS, ...(await findFilters(bare))]);
}

/** Makes a repository of the working directory. */
export async function initRepository(house: House): Promise<void> {
  const { end, code, stderr } = await createGit(house, HARMLESS).run(['init', '--quiet']);
  if (end === 'not-started') throw noGit(house.cwd);
  if (code !== 0)
    throw new GatewayError(
      'FILE_REFUSED',
      `git init failed in ${house.cwd}: ${toReason(stderr)}; make the repository by hand and try again`,
    );
}

function createGit({ cwd, env, signal }: House, settings: readonly (readonly [string, string])[]): Git {
  const own = Object.fromEntries(
    settings.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  );
  const variables = {
    ...toBaseEnvironment(env),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    // Looking must not write, and must not fetch.
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_CONFIG_COUNT: String(settings.length),
    ...own,
  };
  return {
    run: (args, maxBytes = SMALL_BYTES) =>
      runProgram('git', ['--no-pager', ...args], {
        cwd,
        env: variables,
        timeoutMs: TIMEOUT_MS,
        maxBytes,
        signal,
      }),
  };
}

/** A repository may name programs that git runs on each changed file it reads; those are switched off. */
async function findFilters(git: Git): Promise<readonly (readonly [string, string])[]> {
  const asked = [
    'config',
    '--show-scope',
    '--name-only',
    '-z',
    '--get-regexp',
    '^filter\\..*\\.(clean|process|required)$',
  ];
  const { stdout } = await git.run(asked);
  const words = stdout.split('\0');
  // Scopes and names take turns.
  return words.flatMap((scope, index) => {
    const name = words[index + 1] ?? '';
    if (index % 2 !== 0 || !['local', 'worktree'].includes(scope)) return [];
    return [[name, name.endsWith('.required') ? 'false' : ''] as const];
  });
}

/** What git said, in one short line. */
export function toReason(stderr: string): string {
  const [first = ''] = stderr.trim().split('\n');
  return first.slice(0, 200) || 'git gave no reason';
}

function noGit(cwd: string): GatewayError {
  return new GatewayError(
    'FILE_REFUSED',
    `git could not be started in ${cwd}; check that the directory is there and that git is installed and on PATH`,
  );
}

function noRepository(cwd: string, stderr: string): GatewayError {
  return new GatewayError(
    'FILE_REFUSED',
    `${cwd} is not in a git work tree (${toReason(stderr)}); go into one, or make one with thimble project devops --git`,
  );
}

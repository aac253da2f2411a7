/** Programs that start others: what their arguments name is what counts, and where they were found does not. */

/** What a launcher starts: a package it fetches, a file, an image, or whatever it is given. */
export type LauncherKind = 'package' | 'file' | 'image' | 'any';

/** A program known to be one. */
export interface Launcher {
  /** Without its folder, its ending and capitals. */
  readonly name: string;
  readonly kind: LauncherKind;
}

const NAMES: readonly (readonly [LauncherKind, RegExp])[] = [
  ['package', /^(npx|npm|pnpm|yarn|bunx|uvx?|pipx|dnx)$/],
  [
    'file',
    /^(node|nodejs|tsx|ts-node|bun|deno|python[\d.]*|pypy[\d.]*|ruby|perl|php|java|lua|sh|bash|zsh|dash|fish|ksh)$/,
  ],
  ['image', /^(docker|podman|nerdctl)$/],
  ['any', /^(env|cmd|pwsh|powershell|dotnet|sudo|nohup|nice|wsl)$/],
];

/** Words of launchers that only say that something is to be started. */
export const SUBCOMMANDS: ReadonlySet<string> = new Set([
  ...['run', 'dlx', 'exec', 'x', 'tool', 'start', 'create'],
]);

/** The launcher a command is; undefined when it is a program of its own. */
export function findLauncher(command: string): Launcher | undefined {
  const name = toProgramName(command);
  const [kind] = NAMES.find(([, names]) => names.test(name)) ?? [];
  return kind && { name, kind };
}

/** What a command is called without its folder, its ending and capitals. */
export function toProgramName(command: string): string {
  const file = command.split(/[\\/]/).at(-1) ?? '';
  return file.replace(/\.(cmd|exe|bat)$/i, '').toLowerCase();
}

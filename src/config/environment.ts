/** The door to the process's environment, and the part of it a child may inherit. */

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process. */
export function readEnvironment(): Environment {
  return process.env;
}

/** What a program needs to run at all; everything else must be given to a server by its configuration. */
export const INHERITED: readonly string[] = [
  'HOME',
  'LANG',
  'LC_ALL',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TERM',
  'TMPDIR',
  'TZ',
  'USER',
  // Windows
  'APPDATA',
  'COMSPEC',
  'LOCALAPPDATA',
  'PATHEXT',
  'PROGRAMDATA',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
];

/** The variables every child sees beside those it was given. */
export function toBaseEnvironment(env: Environment): Readonly<Record<string, string>> {
  const base: Record<string, string> = {};
  for (const name of INHERITED) {
    const value = env[name];
    if (value !== undefined) base[name] = value;
  }
  return base;
}

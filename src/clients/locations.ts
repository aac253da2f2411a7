/** The directories in which programs of each system keep their settings. */
import { posix, win32 } from 'node:path';
import type { Places } from './client.ts';

/** Joins parts as the machine's system does. */
export function joinOn({ machine }: Places, ...parts: readonly string[]): string {
  return (machine.platform === 'win32' ? win32 : posix).join(...parts);
}

/** A path in the person's home. */
export function inHome(places: Places, ...parts: readonly string[]): string {
  return joinOn(places, places.machine.userHome, ...parts);
}

/** A path where applications keep their settings. */
export function inAppData(places: Places, ...parts: readonly string[]): string {
  const { machine, env } = places;
  if (machine.platform === 'darwin') return inHome(places, 'Library', 'Application Support', ...parts);
  if (machine.platform === 'win32')
    return joinOn(places, env['APPDATA'] || inHome(places, 'AppData', 'Roaming'), ...parts);
  return inConfig(places, ...parts);
}

/** A path where programs that follow the XDG rules keep their settings, on every system. */
export function inConfig(places: Places, ...parts: readonly string[]): string {
  return joinOn(places, places.env['XDG_CONFIG_HOME'] || inHome(places, '.config'), ...parts);
}

/** The same path in the settings of VS Code and of the editions of it. */
export function inVsCode(places: Places, ...parts: readonly string[]): readonly string[] {
  return ['Code', 'Code - Insiders', 'VSCodium'].map((edition) =>
    inAppData(places, edition, 'User', ...parts),
  );
}

/** The directory a file is in. */
export function folderOf({ machine }: Places, path: string): string {
  return (machine.platform === 'win32' ? win32 : posix).dirname(path);
}

/** Finds the file of a program as a system would before it starts it; starts nothing. */
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** Where a program is looked for. */
export interface ProgramPlaces {
  /** The directories to look in, as PATH lists them. */
  readonly path: string | undefined;
  /** The endings a program may have on Windows, as PATHEXT lists them. */
  readonly endings?: string | undefined;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
}

const USUAL_ENDINGS = '.COM;.EXE;.BAT;.CMD';

/** The absolute path of the file a command means; undefined when there is none that can be run. */
export async function findProgram(command: string, places: ProgramPlaces): Promise<string | undefined> {
  const { path = '', cwd } = places;
  const hasFolder = /[\\/]/.test(command) && (command.includes('/') || places.platform === 'win32');
  const folders = hasFolder || isAbsolute(command) ? [''] : path.split(delimiter).filter(Boolean);
  for (const folder of folders) {
    for (const ending of toEndings(places)) {
      const file = resolve(cwd, join(folder, `${command}${ending}`));
      if (await canRun(file)) return file;
    }
  }
  return undefined;
}

function toEndings({ platform, endings = USUAL_ENDINGS }: ProgramPlaces): readonly string[] {
  return platform === 'win32' ? ['', ...endings.split(';').filter(Boolean)] : [''];
}

async function canRun(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** How another program starts this one: with the configuration and home in use, from whatever directory. */
import { join } from 'node:path';
import type { House } from '../house.ts';

/** An entry that starts a program. */
export interface OwnEntry {
  readonly command: string;
  readonly args: readonly string[];
}

/** The entry for words such as `stdio` or `run memory`. */
export async function toOwnEntry(
  house: Pick<House, 'program' | 'config' | 'home' | 'machine'>,
  words: readonly string[],
): Promise<OwnEntry> {
  const { path } = await house.config.read();
  const usual = join(house.machine.userHome, '.thimble');
  const places = ['--config', path, ...(house.home === usual ? [] : ['--home', house.home])];
  const [command = 'thimble', ...first] = toProgram(house.program);
  return { command, args: [...first, ...words, ...places] };
}

/** What npx unpacked for one run may be gone for the next, so that is asked to find it again. */
function toProgram(program: readonly string[]): readonly string[] {
  return program.some((part) => /[\\/]_npx[\\/]/.test(part)) ? ['npx', '-y', 'thimble'] : program;
}

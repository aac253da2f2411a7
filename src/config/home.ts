/** Where a gateway keeps its data. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** What may say where the data directory is. */
export interface HomeSources {
  /** The value of `--home`. */
  readonly flag?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The data directory: `--home`, else `THIMBLE_HOME`, else `~/.thimble`; always absolute. */
export function findHome({ flag, env = process.env }: HomeSources = {}): string {
  return resolve(flag || env['THIMBLE_HOME'] || join(homedir(), '.thimble'));
}

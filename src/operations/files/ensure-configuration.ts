/** Makes the configuration where there is none: other programs are going to be pointed to this very file. */
import type { House } from '../house.ts';

/** Writes an empty configuration unless there is one. */
export async function ensureConfiguration({ config }: Pick<House, 'config'>): Promise<void> {
  if ((await config.read()).text === undefined) await config.edit(() => []);
}

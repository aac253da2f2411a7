/** Says where a copy of the configuration will be. */
import { join } from 'node:path';
import type { House } from '../house.ts';

/** The folder it goes to; when it was made is part of its name, and no part of a plan. */
export function describeCopy({ home }: Pick<House, 'home'>): string {
  return `a copy of the file as it is now goes to ${join(home, 'backups')}`;
}

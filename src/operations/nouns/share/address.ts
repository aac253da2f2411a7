/** Where a share is to be had, in words. */
import type { House } from '../../house.ts';

/** The address of a share below a gateway's URL. */
export function toAddress(name: string): string {
  return `/i/${name}/mcp`;
}

/** Where a process of this home serves HTTP; undefined when none does. */
export async function findUrl({ running }: House): Promise<string | undefined> {
  return (await running.processes()).find(({ url }) => url !== undefined)?.url;
}

/** What to do where nobody serves. */
export const START_SERVING = 'nothing serves HTTP from this home; start it with thimble serve';

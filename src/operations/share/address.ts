/** Where a share is to be had, and since when or until when, in words. */
import type { House } from '../house.ts';

/** The address of a share below a gateway's URL. */
export function toAddress(name: string): string {
  return `/i/${name}/mcp`;
}

/** Where a process of this home serves HTTP; undefined when none does. */
export async function findUrl({ running }: House): Promise<string | undefined> {
  return (await running.processes()).find(({ url }) => url !== undefined)?.url;
}

/** A moment as people read it: `2026-01-31 14:05 UTC`. */
export function toMoment(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`;
}

/** What to do where nobody serves. */
export const START_SERVING = 'nothing serves HTTP from this home; start it with thimble serve';

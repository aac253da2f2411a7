/** Where a share is to be had, in words. */
import type { House } from '../house.ts';

/** The address of a share below a gateway's URL. */
export function toAddress(name: string): string {
  return `/i/${name}/mcp`;
}

/** Where a process of this home serves HTTP; undefined when none does. */
export async function findUrl({ running }: Pick<House, 'running'>): Promise<string | undefined> {
  const serving = (await running.processes()).find(({ url }) => url !== undefined);
  return serving?.url?.replace(/\/+$/, '');
}

/** What to do where nobody serves. */
export const START_SERVING = 'nothing serves HTTP from this home; start it with thimble serve';

/** True when only programs of this machine reach it. */
export function isLocal(url: string): boolean {
  return ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);
}

/** What to do so that others do. */
export const ONLY_HERE =
  'Only this machine reaches it; for others put a tunnel, or a proxy with TLS, in front that forwards /i/ and nothing else.';

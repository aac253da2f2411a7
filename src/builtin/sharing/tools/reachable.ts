/** Whether contacts that were there are there still. */
import type { SharingContext } from '../context.ts';

/** True while some process of this home is on the network: without one nobody is online, whatever was noted. */
export async function isReachable({ node }: SharingContext): Promise<boolean> {
  const presence = await node.presence();
  return presence === 'on' || presence === 'elsewhere';
}

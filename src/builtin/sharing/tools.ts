/** The tools of the sharing server, in the order they are listed. */
import type { BuiltinTool } from '../builtin.ts';
import type { Sharing } from './context.ts';
import type { SharingNode } from './node.ts';
import { revokeAccess, sendMessage, share } from './tools/give.ts';
import { acceptInvite, generateInvite, listContactsTool } from './tools/meet.ts';
import { inbox } from './tools/receive.ts';
import { sharingStatus } from './tools/status.ts';

/** What the tools share. */
export interface SharingContext extends Sharing {
  readonly node: Pick<SharingNode, 'wake' | 'presence'>;
}

/** All eight. */
export const SHARING_TOOLS: readonly BuiltinTool<SharingContext>[] = [
  generateInvite,
  acceptInvite,
  listContactsTool,
  share,
  inbox,
  sendMessage,
  revokeAccess,
  sharingStatus,
];

/** The tools of the sharing server, in the order they are listed. */
import type { BuiltinTool } from '../builtin.ts';
import type { SharingContext } from './context.ts';
import { revokeAccess, sendMessage, share } from './tools/give.ts';
import { acceptInvite, generateInvite, listContactsTool } from './tools/meet.ts';
import { inbox } from './tools/receive.ts';
import { sharingStatus } from './tools/status.ts';

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

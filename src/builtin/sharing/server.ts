/** The sharing server: messages and items between people, from machine to machine. */
import { type BuiltinServer, createBuiltinServer } from '../server.ts';
import type { SharingParts } from './context.ts';
import { createSharingNode, type SharingNode } from './node.ts';
import { SHARING_PROMPTS } from './prompts.ts';
import { SHARING_RESOURCES } from './resources.ts';
import { SHARING_TOOLS } from './tools.ts';

/** A sharing server; closing it leaves the network, unless somebody else keeps the node. */
export interface SharingServer extends BuiltinServer {
  close(): Promise<void>;
}

/** What the node of one principal is kept under. */
const NODE = 'sharing';

/** Creates a sharing server; no socket is opened before there is somebody to reach. */
export function createSharingServer(parts: SharingParts): SharingServer {
  const node = findSharingNode(parts);
  const server = createBuiltinServer(
    {
      name: 'sharing',
      title: 'Sharing',
      tools: SHARING_TOOLS,
      resources: SHARING_RESOURCES,
      prompts: SHARING_PROMPTS,
    },
    { ...parts, open: async () => ({ ...(await node.open()), node }) },
  );
  return {
    ...server,
    async close() {
      if (!parts.keep) await node[Symbol.asyncDispose]();
    },
  };
}

/** Goes on the network when there is somebody to reach, so that what waits arrives without a call. */
export async function startSharing(parts: SharingParts): Promise<void> {
  await findSharingNode(parts).open();
}

/** The node all links share, where somebody keeps it; else one of our own. */
export function findSharingNode(parts: SharingParts): SharingNode {
  const create = () => createSharingNode(parts);
  return parts.keep?.(`${NODE} ${parts.principal ?? ''}`, create) ?? create();
}

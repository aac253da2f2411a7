/** What one built-in server has of another: none of them knows its neighbours, so the gateway hands it over. */
import type { BlogPictures, BlogShares } from '../builtin/blog/ports.ts';
import type { BuiltinParts, ToolCall } from '../builtin/builtin.ts';
import type { ActiveProject } from '../builtin/memory/context.ts';
import type { ResearchKind } from '../builtin/projects/shared-research.ts';
import type { SharedItem, SharedItems, SharedKind } from '../builtin/shared-item.ts';
import { GatewayError } from '../errors/gateway-error.ts';

/** A call on nobody's behalf: no client to ask or to tell. */
const UNATTENDED: ToolCall = {
  signal: new AbortController().signal,
  ask: () => Promise.reject(new GatewayError('METHOD_NOT_FOUND', 'nobody can be asked here')),
  tell() {},
};

/** Everything one server may have of the others. */
export interface Neighbours {
  /** For the guide of memory. */
  activeProjects(): Promise<readonly ActiveProject[]>;
  /** For the posts of the blog. */
  readonly pictures: BlogPictures;
  readonly shares: BlogShares;
  /** For sharing. */
  readonly items: SharedItems;
}

/** The parts a server is made with, by its name; undefined when it is switched off. */
export type PartsOf = (server: string) => BuiltinParts | undefined;

/** Creates the ways between servers; each is opened when it is first gone. */
export function createNeighbours(partsOf: PartsOf): Neighbours {
  return {
    async activeProjects() {
      const parts = partsOf('projects');
      if (!parts) return [];
      const { openProjects } = await import('../builtin/projects/context.ts');
      const { listProjects } = await import('../builtin/projects/project-list.ts');
      return listProjects(await openProjects(parts), { status: 'active', limit: 5, offset: 0 });
    },
    pictures: { find: (key) => findPicture(key, partsOf('storage')) },
    shares: { offer: (post) => offerPost(post, partsOf('sharing')) },
    items: {
      async read(kind, id) {
        const server = SERVERS[kind];
        const parts = partsOf(server);
        if (parts) return READERS[kind](id, parts);
        throw new GatewayError(
          'INVALID_PARAMS',
          `${server} is switched off, which keeps every ${kind}; set builtin.${server} to true to share one`,
        );
      },
    },
  };
}

/** Which server keeps what. */
const SERVERS: Readonly<Record<SharedKind, string>> = {
  memory: 'memory',
  project: 'projects',
  source: 'projects',
  note: 'projects',
  blog_post: 'blog',
  file: 'storage',
};

type Reader = (id: string, parts: BuiltinParts) => Promise<SharedItem | undefined>;

const READERS: Readonly<Record<SharedKind, Reader>> = {
  async memory(id, parts) {
    const { createMemoryReader } = await import('../builtin/memory/shared-memories.ts');
    return createMemoryReader(parts)(toNumber(id));
  },
  project: (id, parts) => readResearch('project', id, parts),
  source: (id, parts) => readResearch('source', id, parts),
  note: (id, parts) => readResearch('note', id, parts),
  async blog_post(id, parts) {
    const { createPostReader } = await import('../builtin/blog/shared-posts.ts');
    return createPostReader(parts)(toNumber(id));
  },
  async file(key, parts) {
    const { findStorage } = await import('../builtin/storage/context.ts');
    const { files, principal } = await findStorage(parts).open();
    const file = await files.find(principal, key).catch(toNothing);
    if (!file) return undefined;
    const { name, size, sha256, mime_type } = file;
    const open = async function* (start: number) {
      if (start < size) yield* await files.read(file, { start, end: size - 1 });
    };
    return { title: name, content: { name, mime_type, size }, file: { name, size, sha256, open } };
  },
};

async function readResearch(
  kind: ResearchKind,
  id: string,
  parts: BuiltinParts,
): Promise<SharedItem | undefined> {
  const { createResearchReader } = await import('../builtin/projects/shared-research.ts');
  return createResearchReader(parts)(kind, toNumber(id));
}

async function findPicture(key: string, parts: BuiltinParts | undefined) {
  if (!parts) return undefined;
  const { findStorage } = await import('../builtin/storage/context.ts');
  const { toWebStream } = await import('../builtin/storage/web-stream.ts');
  const { files, principal } = await findStorage(parts).open();
  const file = await files.find(principal, key).catch(toNothing);
  if (!file) return undefined;
  const read = async () => toWebStream(await files.read(file));
  return { mimeType: file.mime_type, size: file.size, sha256: file.sha256, read };
}

async function offerPost(
  { id, contact }: { readonly id: number; readonly contact: string },
  parts: BuiltinParts | undefined,
) {
  if (!parts) {
    throw new GatewayError(
      'INVALID_PARAMS',
      'sharing is switched off; set builtin.sharing to true to send posts',
    );
  }
  const { findSharingNode } = await import('../builtin/sharing/server.ts');
  const { share } = await import('../builtin/sharing/tools/give.ts');
  const node = findSharingNode(parts);
  const context = { ...(await node.open()), node };
  const args = { contact, share_type: 'blog_post', item_id: String(id) };
  const { structuredContent } = await share.call(args, context, UNATTENDED);
  const sent = structuredContent as { readonly contact: string };
  return { contact: sent.contact };
}

function toNumber(id: string): number {
  return /^\d{1,15}$/.test(id) ? Number(id) : -1;
}

/** What is not there is told apart from what cannot be read. */
function toNothing(error: unknown): undefined {
  if (error instanceof GatewayError && error.code === 'RESOURCE_NOT_FOUND') return undefined;
  throw error;
}

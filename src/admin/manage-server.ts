/** The server `manage`: eight tools over every operation, for agents. */
import type { Builtin } from '../builtin/builtin.ts';
import { createBuiltinServer } from '../builtin/server.ts';
import { loadOperations, NOUNS } from '../operations/nouns/registry.ts';
import type { HostedServer } from '../upstream/connectors/builtin/connector.ts';
import { createManageTool, type ManageContext } from './manage-tool.ts';

/** What the server is made with. */
export interface ManageParts {
  readonly namespace: string;
  /** The house an operation runs in, for the length of one call. */
  readonly toHouse: ManageContext;
  /** Told of what went wrong inside. */
  onFault?(error: unknown): void;
}

/** Creates it; every operation is loaded, since the tools are made from them. */
export async function createManageServer(parts: ManageParts): Promise<HostedServer> {
  return createBuiltinServer(await toManage(parts.namespace), {
    namespace: parts.namespace,
    open: async () => parts.toHouse,
    ...(parts.onFault && { onFault: parts.onFault }),
  });
}

async function toManage(namespace: string): Promise<Builtin<ManageContext>> {
  const tools = NOUNS.map(async (noun) => createManageTool(noun, await noun.load(), namespace));
  return { name: 'manage', title: 'Manage', tools: await Promise.all(tools), resources: [], prompts: [] };
}

/** What tools of older systems were called, with how to ask for the same here. */
export async function toFormerNames(namespace: string): Promise<ReadonlyMap<string, string>> {
  const verbs = new Map<string, { readonly noun: string; readonly verbs: readonly string[] }>();
  for (const { noun, verb, formerly } of await loadOperations())
    for (const former of formerly)
      verbs.set(former, { noun, verbs: [...(verbs.get(former)?.verbs ?? []), verb] });
  const single = new Set(NOUNS.filter(({ single: isSingle }) => isSingle).map(({ name }) => name));
  return new Map(
    [...verbs].map(([former, { noun, verbs: actions }]) => {
      const action = single.has(noun) ? '' : ` action=${actions.join('|')}`;
      return [former, `${namespace}_${noun}${action}`] as const;
    }),
  );
}

/** The memory server: facts that outlive a conversation, and how the person wants to be served. */
import { DEFAULT_NAMESPACE } from '../builtin.ts';
import { type BuiltinServer, createBuiltinServer } from '../server.ts';
import { type MemoryParts, openMemory } from './context.ts';
import { createMemoryPrompts } from './prompts.ts';
import { MEMORY_RESOURCES } from './resources.ts';
import { MEMORY_TOOLS } from './tools.ts';

/** Creates a memory server over a store. */
export function createMemoryServer(parts: MemoryParts): BuiltinServer {
  return createBuiltinServer(
    {
      name: 'memory',
      title: 'Memory',
      tools: MEMORY_TOOLS,
      resources: MEMORY_RESOURCES,
      prompts: createMemoryPrompts(parts.namespace ?? DEFAULT_NAMESPACE),
    },
    { ...parts, open: () => openMemory(parts) },
  );
}

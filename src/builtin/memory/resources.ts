/** What the memory server lets be read. */
import type { BuiltinResource } from '../builtin.ts';
import { toGuide } from './context/guide.ts';
import type { Memory } from './context.ts';
import { countCategories } from './totals.ts';

/** Both resources. */
export const MEMORY_RESOURCES: readonly BuiltinResource<Memory>[] = [
  {
    uri: 'memory://categories',
    name: 'categories',
    title: 'Memory categories',
    description: 'The categories in use, and how many memories each holds',
    mimeType: 'application/json',
    read: async (memory) => JSON.stringify(await countCategories(memory)),
  },
  {
    uri: 'thimble://context',
    name: 'context',
    title: 'Context',
    description: 'How to behave here, and what is known',
    mimeType: 'text/markdown',
    read: (memory) => toGuide(memory, { platform: 'generic', device: undefined, withMemories: true }),
  },
];

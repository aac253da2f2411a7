/** The tools of the memory server, in the order they are listed. */
import type { BuiltinTool } from '../builtin.ts';
import type { Memory } from './context.ts';
import { addContextSection, deleteContextSection, updateContextSection } from './tools/change-context.ts';
import { deleteMemory, storeMemory, updateMemory } from './tools/keep.ts';
import { getContext, listContextSections } from './tools/read-context.ts';
import { listMemories, recallByContext, searchMemories } from './tools/search.ts';
import { memoryStats } from './tools/stats.ts';

/** All twelve. */
export const MEMORY_TOOLS: readonly BuiltinTool<Memory>[] = [
  storeMemory,
  searchMemories,
  recallByContext,
  listMemories,
  updateMemory,
  deleteMemory,
  memoryStats,
  getContext,
  updateContextSection,
  addContextSection,
  listContextSections,
  deleteContextSection,
];

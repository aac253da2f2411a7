/** The tools of projects, in the order they are listed. */
import type { BuiltinTool } from '../builtin.ts';
import type { ProjectsContext } from './context.ts';
import { addSource } from './tools/add-source.ts';
import { generateBibliography, projectStats } from './tools/bibliography.ts';
import { addNote, searchNotes } from './tools/notes.ts';
import { createProject, listProjectsTool, updateProject } from './tools/projects.ts';
import { getSource, listSources, searchSources, verifySource } from './tools/sources.ts';

/** All twelve. */
export const PROJECT_TOOLS: readonly BuiltinTool<ProjectsContext>[] = [
  createProject,
  listProjectsTool,
  updateProject,
  addSource,
  searchSources,
  getSource,
  verifySource,
  listSources,
  addNote,
  searchNotes,
  generateBibliography,
  projectStats,
];

/** The built-in server `projects`: research projects, their sources, notes and citations. */
import type { BuiltinParts } from '../builtin.ts';
import { type BuiltinServer, createBuiltinServer } from '../server.ts';
import { openProjects } from './context.ts';
import { PROJECT_PROMPTS } from './prompts.ts';
import { PROJECT_RESOURCES } from './resources.ts';
import { PROJECT_TOOLS } from './tools.ts';

/** Creates the server; its tables are opened when something is first asked for. */
export function createProjectsServer(parts: BuiltinParts): BuiltinServer {
  return createBuiltinServer(
    {
      name: 'projects',
      title: 'Projects',
      tools: PROJECT_TOOLS,
      resources: PROJECT_RESOURCES,
      prompts: PROJECT_PROMPTS,
    },
    { ...parts, open: () => openProjects(parts) },
  );
}

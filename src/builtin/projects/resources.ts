/** What of projects can be read at an address. */
import type { BuiltinResource } from '../builtin.ts';
import type { ProjectsContext } from './context.ts';
import { countProjects, listProjects } from './project-list.ts';

const MOST = 100;

/** The resources of projects. */
export const PROJECT_RESOURCES: readonly BuiltinResource<ProjectsContext>[] = [
  {
    uri: 'projects://list',
    name: 'projects',
    title: 'Projects',
    description: `The ${MOST} projects changed last, with their counts of sources and notes.`,
    mimeType: 'application/json',
    async read(context) {
      const projects = await listProjects(context, { limit: MOST, offset: 0 });
      return JSON.stringify({ projects, total: await countProjects(context, {}) }, null, 2);
    },
  },
];

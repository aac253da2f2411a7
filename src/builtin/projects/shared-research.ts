/** Projects, sources and notes as contacts may have them. */
import type { JsonObject } from '../../model/json.ts';
import type { BuiltinParts } from '../builtin.ts';
import type { SharedItem } from '../shared-item.ts';
import { toPresent, toPreview } from '../text.ts';
import { openProjects } from './context.ts';

/** What of research can be sent. */
export type ResearchKind = 'project' | 'source' | 'note';

/** Reads a piece of research to be sent. */
export type ReadResearch = (kind: ResearchKind, id: number) => Promise<SharedItem | undefined>;

const TABLES = { project: 'projects', source: 'project_sources', note: 'project_notes' } as const;
const TITLE_LENGTH = 80;
/** Kept for search and for whose it is, and of no use to anybody else. */
const PRIVATE_COLUMNS: ReadonlySet<string> = new Set(['principal', 'grams', 'tag_keys']);

/** Creates the reader; what is somebody else's does not exist for it. */
export function createResearchReader(parts: BuiltinParts): ReadResearch {
  return async (kind, id) => {
    const { db, principal } = await openProjects(parts);
    const row = await db
      .selectFrom(TABLES[kind])
      .selectAll()
      .where('principal', '=', principal)
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) return undefined;
    const content = toContent(toPresent(row));
    const text = content['name'] ?? content['title'] ?? content['content'] ?? '';
    return { title: toPreview(String(text), TITLE_LENGTH), content };
  };
}

function toContent(row: object): JsonObject {
  const told = Object.entries(row).filter(([key]) => !PRIVATE_COLUMNS.has(key));
  return Object.fromEntries(told) as JsonObject;
}

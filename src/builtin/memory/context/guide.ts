/** The whole context as one Markdown document: the sections, and on request what is known right now. */
import { fence } from '../../fence.ts';
import { toCount } from '../../page.ts';
import { toPreview } from '../../text.ts';
import type { Memory } from '../context.ts';
import { countCategories } from '../totals.ts';
import { readSections, type Section } from './sections.ts';

/** What a guide should hold. */
export interface GuideOptions {
  /** The client it is for; one nobody knows is treated as `generic`. */
  readonly platform: string;
  readonly device: string | undefined;
  /** With what is known right now, or only what the person wrote. */
  readonly withMemories: boolean;
}

const BRACKETS = 'Write such a line in square brackets, on a line of its own.';
const MARKUP = 'Write such a line in italics; for a deletion, in bold.';
const SPARSE = 'Write such a line only for what cannot be undone: the person is reading code.';

/** How each client shows the notation best. */
const HINTS: Readonly<Record<string, string>> = {
  claude: MARKUP,
  chatgpt: BRACKETS,
  gemini: BRACKETS,
  grok: BRACKETS,
  cursor: SPARSE,
  windsurf: SPARSE,
  cline: SPARSE,
  generic: BRACKETS,
};

/** The clients that have a hint of their own. */
export const PLATFORMS: readonly string[] = Object.keys(HINTS);

const IMPORTANT = 8;
const MAX_PREFERENCES = 10;
const MAX_LATEST = 5;
const MAX_PROJECTS = 5;

/** Writes the document. */
export async function toGuide(memory: Memory, options: GuideOptions): Promise<string> {
  const sections = await readSections(memory, options.device ?? memory.device);
  const parts = sections.map((section) => toSectionText(section, options.platform));
  if (options.withMemories) parts.push(await toKnownText(memory));
  return [`# Context of ${memory.namespace}`, ...parts].join('\n\n');
}

function toSectionText({ key, title, content }: Section, platform: string): string {
  const hint = Object.hasOwn(HINTS, platform) ? HINTS[platform] : HINTS['generic'];
  return `## ${title}\n\n${content}${key === 'transparency_rules' ? `\n${hint}` : ''}`;
}

async function toKnownText(memory: Memory): Promise<string> {
  const totals = await countCategories(memory);
  const preferences = await readImportant(memory, MAX_PREFERENCES, 200, 'preference');
  const latest = await readImportant(memory, MAX_LATEST, 150);
  const projects = (await memory.activeProjects()).slice(0, MAX_PROJECTS);
  const lines = [
    ...toList(
      'Memories',
      totals.map(({ category, count }) => `${category}: ${count}`),
    ),
    ...toList('Preferences', preferences),
    ...toList(
      'Active projects',
      projects.map(
        ({ name, sources, notes }) =>
          `${toPreview(name, 100)} (${toCount(sources, 'source')}, ${toCount(notes, 'note')})`,
      ),
    ),
    ...toList('Latest of importance', latest),
  ];
  return `## What is known\n\n${lines.length === 0 ? 'Nothing is remembered yet.' : fence(lines.join('\n'))}`;
}

async function readImportant(
  { db, principal }: Memory,
  most: number,
  length: number,
  category?: string,
): Promise<readonly string[]> {
  let query = db
    .selectFrom('memories')
    .select(['id', 'content'])
    .where('principal', '=', principal)
    .where('importance', '>=', IMPORTANT)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(most);
  if (category !== undefined) query = query.where('category', '=', category);
  return (await query.execute()).map(({ id, content }) => `#${id} ${toPreview(content, length)}`);
}

function toList(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${heading}:`, ...lines.map((line) => `- ${line}`)];
}

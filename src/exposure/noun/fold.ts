/** Folds the tools of one server: which become groups, which stay, and that no group costs more than its tools did. */
import type { Entry } from '../../catalog/catalog.ts';
import type { Definition } from '../../model/mcp.ts';
import type { TokenCount } from '../ports.ts';
import { type Member, toGroupDefinition } from './group-definition.ts';
import { type GroupWishes, groupNames } from './group-names.ts';
import { type InputParts, toInputParts } from './input-parts.ts';
import { parseNames } from './parse-name.ts';

/** Tools that are shown as one. */
export interface Fold {
  readonly noun: string;
  /** The name it would like to have. */
  readonly wished: string;
  readonly members: readonly Member[];
  readonly definition: Definition;
}

/**
 * A group this much shorter than its tools is cheaper too: over real servers its share of their tokens is never more
 * than 1.11 times its share of their characters. Above, tokens decide.
 */
const CLEARLY = 0.88;

/** Folds the visible tools of one server. */
export async function foldTools(
  entries: readonly Entry[],
  wishes: GroupWishes,
  { tokens, brief }: { readonly tokens: TokenCount; readonly brief: boolean },
): Promise<readonly Fold[]> {
  const foldable = new Map<string, { entry: Entry; input: InputParts }>();
  for (const entry of entries) {
    const input = toInputParts(entry.definition);
    if (input) foldable.set(entry.name, { entry, input });
  }
  const parsed = parseNames(entries.map(({ name }) => name)).filter(({ name }) => foldable.has(name));
  const folds: Fold[] = [];
  for (const { noun, members: named, asked } of groupNames(parsed, wishes)) {
    const members = named.flatMap(({ name, action }) => {
      const tool = foldable.get(name);
      return tool ? [{ action, ...tool }] : [];
    });
    const wished = toWished(entries[0]?.upstream ?? '', noun);
    const definition = toGroupDefinition(wished, noun, members, brief);
    if (definition && (asked || (await pays(definition, members, tokens))))
      folds.push({ noun, wished, members, definition });
  }
  return folds;
}

/** `github_issue`; a noun that is the server itself is not said twice. */
function toWished(upstream: string, noun: string): string {
  return noun === upstream || noun.startsWith(`${upstream}_`) ? noun : `${upstream}_${noun}`;
}

async function pays(
  definition: Definition,
  members: readonly Member[],
  tokens: TokenCount,
): Promise<boolean> {
  const together = JSON.stringify(definition);
  // Most groups are so much shorter that writing out what they replace would only take time.
  const weight = members.reduce((sum, { input }) => sum + input.weight, 0);
  if (together.length < weight * CLEARLY) return true;
  const apart = members.map(({ entry }) => JSON.stringify(entry.definition));
  const length = apart.reduce((sum, text) => sum + text.length, 0);
  if (together.length >= length) return false;
  if (together.length < length * CLEARLY) return true;
  const [one = 0, ...all] = await Promise.all([together, ...apart].map((text) => tokens.count(text)));
  return one < all.reduce((sum, count) => sum + count, 0);
}

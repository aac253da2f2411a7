/** Which upstreams get a tool of their own, and what those tools say: a function of the view and the budget. */
import type { Entry, Source } from '../../catalog/catalog.ts';
import type { Definition } from '../../model/mcp.ts';
import type { CatalogView } from '../../policy/policy.ts';
import type { TokenCount } from '../ports.ts';
import { firstSentence } from '../words.ts';
import { toCategoryName } from './category-name.ts';
import { toCategoryTool, toDiscoverTool, toToolsTool } from './definitions.ts';
import type { ActionLine, Wording } from './manifest.ts';

/** A whole surface of category mode. */
export interface Layout {
  readonly tools: readonly Definition[];
  /** The upstreams without a tool of their own, sorted. */
  readonly folded: readonly string[];
}

/** What a layout is made by. */
export interface LayoutRules {
  readonly namespace: string;
  /** Tokens all tools together may take; infinite for no bound. */
  readonly budget: number;
  /** Upstreams that never get a tool of their own. */
  readonly isFolded: (source: Source) => boolean;
  readonly toLine: (entry: Entry) => ActionLine;
}

/** An upstream and what it offers. */
interface Offer {
  readonly source: Source;
  readonly lines: readonly ActionLine[];
}

interface Category {
  readonly id: string;
  readonly tool: Definition;
  readonly tokens: number;
}

const ABOUT_LIMIT = 60;

/** Lays the surface out: with words; else without, the largest manifests folded away; then with words for those left. */
export async function toLayout(view: CatalogView, rules: LayoutRules, tokens: TokenCount): Promise<Layout> {
  const offering = view.upstreams().filter(({ upstream }) => view.count(upstream) > 0);
  const fixed = offering.filter(rules.isFolded).map(({ upstream }) => upstream);
  const open = offering
    .filter((source) => !rules.isFolded(source))
    .map((source) => ({ source, lines: view.toolsOf(source.upstream).map(rules.toLine) }));
  const lay = async (some: readonly Offer[], folded: readonly string[], wording: Wording) =>
    foldToFit(await toCategories(some, wording, rules, tokens), folded, rules, tokens);
  const worded = await lay(open, fixed, 'brief');
  if (worded.folded.length === fixed.length) return worded;
  const bare = await lay(open, fixed, 'bare');
  const left = open.filter(({ source }) => !bare.folded.includes(source.upstream));
  const again = await lay(left, bare.folded, 'brief');
  return again.folded.length === bare.folded.length ? again : bare;
}

function toCategories(
  offers: readonly Offer[],
  wording: Wording,
  { namespace, budget }: LayoutRules,
  tokens: TokenCount,
): Promise<readonly Category[]> {
  return Promise.all(
    offers.map(async (offer) => {
      const id = offer.source.upstream;
      const tool = toCategoryTool(toCategoryName(namespace, id), toDescription(offer, wording));
      const counted = Number.isFinite(budget) ? await tokens.count(JSON.stringify(tool)) : 0;
      return { id, tool, tokens: counted };
    }),
  );
}

/** Folds the largest away until the rest fits; counted part by part, and once more as a whole. */
async function foldToFit(
  categories: readonly Category[],
  fixed: readonly string[],
  { namespace, budget }: LayoutRules,
  tokens: TokenCount,
): Promise<Layout> {
  const toWhole = (kept: readonly Category[]): Layout => {
    const ids = new Set(kept.map(({ id }) => id));
    const folded = [...fixed, ...categories.map(({ id }) => id).filter((id) => !ids.has(id))].sort();
    const own = [toToolsTool(namespace, folded), toDiscoverTool(namespace)];
    return { tools: [...kept.map(({ tool }) => tool), ...own], folded };
  };
  if (!Number.isFinite(budget)) return toWhole(categories);
  const largestFirst = [...categories].sort((a, b) => b.tokens - a.tokens || (a.id < b.id ? -1 : 1));
  let kept = categories;
  for (;;) {
    const sum = kept.reduce((total, category) => total + category.tokens, 0);
    if (sum <= budget || kept.length === 0) {
      const layout = toWhole(kept);
      const whole = await tokens.count(JSON.stringify({ tools: layout.tools }));
      if (whole <= budget || kept.length === 0) return layout;
    }
    const largest = largestFirst.shift();
    kept = kept.filter((category) => category !== largest);
  }
}

function toDescription({ source, lines }: Offer, wording: Wording): string {
  return [`${toAbout(source)}Actions:`, ...lines.map((line) => line[wording])].join('\n');
}

/** What the server says it is, as a sentence; names alone do not tell what "linear" or "xyz" does. */
function toAbout({ upstream, title, manifest, core }: Source): string {
  const { serverInfo, instructions } = manifest.hello;
  const said = [core ? undefined : instructions, serverInfo['description'], serverInfo['title'], title];
  const text = said.find((words): words is string => typeof words === 'string' && words.trim() !== '') ?? '';
  const about = firstSentence(text, ABOUT_LIMIT);
  if (about === '' || about.toLowerCase() === upstream) return '';
  return /[.!?。…:]$/.test(about) ? `${about} ` : `${about}. `;
}

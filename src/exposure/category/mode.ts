/** Shows one tool a server, with its actions in few words, and two that reach and explain all the rest. */
import type { Entry, Source } from '../../catalog/catalog.ts';
import type { JsonObject } from '../../model/json.ts';
import type { CatalogView } from '../../policy/policy.ts';
import { sayRenamed, toFault } from '../answers.ts';
import { argumentsOf } from '../arguments.ts';
import { callRefused } from '../call-refused.ts';
import { callChecked } from '../call-tool.ts';
import type { Exposure, ExposureMode } from '../exposure.ts';
import { toOwnName, withoutPrefix } from '../own-names.ts';
import type { ModePorts } from '../ports.ts';
import { sayUnmet } from '../standing-text.ts';
import { findByPath, toPath } from '../tool-path.ts';
import { ANSWER_NAMES_LIMIT, toShortList } from '../words.ts';
import { findAction, parseRequest, sayNoAction } from './actions.ts';
import { fromCategoryWord, toCategoryName } from './category-name.ts';
import { DISCOVER, TOOLS } from './definitions.ts';
import { discover } from './discover.ts';
import { toLayout } from './layout.ts';
import { createLayoutMemo } from './layout-memo.ts';
import { createLineMaker } from './manifest.ts';

/** Which upstreams share one tool whatever the budget, and whether there is a budget. */
interface LayoutKind {
  readonly name: string;
  readonly isFolded: (source: Source) => boolean;
  readonly bounded: boolean;
}

const reserved = (namespace: string) => [TOOLS, DISCOVER].map((word) => toOwnName(namespace, word));

const finds = (namespace: string) => [toOwnName(namespace, DISCOVER)];

/** One tool a server, as far as the budget goes. */
export const category: ExposureMode = {
  name: 'category',
  summary: 'one tool a server with its actions, within a budget of tokens',
  reserved,
  finds,
  open: (ports) =>
    openCategories(ports, { name: 'category', isFolded: ({ aside }) => aside === true, bounded: true }),
};

/** The fixed layout: the built-in servers, one tool for everything else, one that explains. */
export const router: ExposureMode = {
  name: 'router',
  summary: 'the built-in servers as one tool each, one for all others, one that explains',
  reserved,
  finds,
  open: (ports) => openCategories(ports, { name: 'router', isFolded: ({ core }) => !core, bounded: false }),
};

function openCategories(ports: ModePorts, { name: kind, isFolded, bounded }: LayoutKind): Exposure {
  const { namespace, tokens } = ports;
  const toLine = ports.shared('category lines', createLineMaker);
  const recall = ports.shared('category layouts', createLayoutMemo);
  const lay = (view: CatalogView) => {
    const budget = bounded ? ports.options.category.budget : Number.POSITIVE_INFINITY;
    const rules = { namespace, isFolded, budget, toLine };
    // The same list of tools comes of the same snapshot for those who are alike.
    return recall(view.list('tool'), `${kind} ${namespace} ${budget}`, () => toLayout(view, rules, tokens));
  };
  const mention: Exposure['mention'] = async (entry, view) => {
    const { folded } = await lay(view);
    return folded.includes(entry.upstream)
      ? `${toOwnName(namespace, TOOLS)} action "${toPath(entry)}"`
      : `${toCategoryName(namespace, entry.upstream)} action "${entry.name}"`;
  };
  return {
    mention,
    tools: async (view) => (await lay(view)).tools,
    async call(name, params, view) {
      const word = withoutPrefix(name, namespace) ?? name;
      const args = argumentsOf(params);
      if (word === DISCOVER) return discover(args, { namespace, view, folded: (await lay(view)).folded });
      const server = fromCategoryWord(word);
      const outcome = findCall(args, word === TOOLS ? undefined : [server ?? ''], view, namespace);
      if ('entry' in outcome) return callChecked(outcome.entry, outcome.params, params, view, ports);
      if ('refused' in outcome) return view.use('tool', outcome.refused.publicName, params);
      const isTool = word === TOOLS || (server !== undefined && view.count(server) > 0);
      if (isTool) return toFault(outcome.fault);
      return callRefused(name, view, namespace) ?? sayUnknown(name, view, ports, mention);
    },
  };
}

/** What a call means: a tool with its parameters, one that is refused, or nothing, with the reason. */
type MeantCall =
  | { readonly entry: Entry; readonly params: JsonObject }
  | { readonly refused: Entry }
  | { readonly fault: string };

/** The tool a call means, looked up first: only a call that means none is worth a walk through the catalogue. */
function findCall(
  args: JsonObject,
  servers: readonly string[] | undefined,
  view: CatalogView,
  namespace: string,
): MeantCall {
  const request = parseRequest(args);
  if ('fault' in request) return request;
  const meant = findAction(request.action, servers, view, namespace);
  if (meant.kind === 'one') return { entry: meant.entry, params: request.params };
  const refused = findAction(request.action, servers, view.refused, namespace);
  if (refused.kind === 'one') return { refused: refused.entry };
  return { fault: sayNoAction(request.action, meant, servers, view, namespace) };
}

/** A client that remembers a tool by its own name is told the way to it. */
async function sayUnknown(
  name: string,
  view: CatalogView,
  { namespace, renamed }: Pick<ModePorts, 'namespace' | 'renamed'>,
  mention: Exposure['mention'],
): Promise<JsonObject> {
  const now = await renamed(name);
  if (now !== undefined) return toFault(sayRenamed(name, now));
  const bare = withoutPrefix(name, namespace) ?? name;
  const silent = view.unmet().find(({ upstream }) => upstream === fromCategoryWord(bare));
  if (silent) return toFault(sayUnmet(silent, view, 'actions'));
  const meant = findByPath(name, view, namespace);
  const entries = meant.kind === 'none' ? [] : meant.kind === 'one' ? [meant.entry] : meant.entries;
  const ways = await Promise.all(entries.map((entry) => mention(entry, view)));
  const way =
    ways.length > 0
      ? `call ${toShortList(ways, ANSWER_NAMES_LIMIT, ' or ')}`
      : `${toOwnName(namespace, DISCOVER)} lists what there is`;
  return toFault(`no tool is called "${name.slice(0, 100)}" here; ${way}`);
}

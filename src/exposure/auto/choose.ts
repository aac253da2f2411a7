/** Which mode suits a client: the fewest steps whose surface still fits. */
import type { Definition } from '../../model/mcp.ts';
import type { CatalogView } from '../../policy/policy.ts';
import type { ExposureMode } from '../exposure.ts';
import type { ModePorts } from '../ports.ts';
import { toClientClass } from './clients.ts';

/** The modes that are chosen from. */
export type Choosable = 'direct' | 'category' | 'search';

/** Each of them. */
export type InnerModes = Readonly<Record<Choosable, ExposureMode>>;

/** A choice, and why. */
export interface Choice {
  readonly mode: Choosable;
  readonly reason: string;
}

/** What a client that looks for tools itself is given whole. */
const DEFERRED_TOOLS = 128;
const DEFERRED_TOKENS = 60_000;
/** No text of ours has fewer tokens than bytes divided by this; it spares counting what is far too large. */
const BYTES_PER_TOKEN = 12;

/** Chooses for the caller of a view. */
export async function chooseMode(view: CatalogView, ports: ModePorts, modes: InnerModes): Promise<Choice> {
  const tools = view.list('tool').map((entry) => entry.definition);
  const client = toClientClass(view.client);
  if (client.defers) return chooseForDeferring(tools, view, ports);
  const { budget } = ports.options.auto;
  const fits = `fit in ${budget} tokens`;
  const mayTake = (count: number) => client.maxTools === undefined || count <= client.maxTools;
  if (mayTake(tools.length) && (await isWithin(tools, budget, ports)))
    return { mode: 'direct', reason: `all ${tools.length} tools ${fits}` };
  const why = mayTake(tools.length)
    ? `${tools.length} tools do not ${fits}`
    : `${tools.length} tools are more than the ${client.maxTools} that ${view.client} takes`;
  const { category } = ports.options;
  if (!category.enabled) return { mode: 'search', reason: `${why}, and category is switched off` };
  const laid = await layAll(view, ports, modes);
  // Where its own budget is the smaller one, category would fold servers away.
  const room = Math.min(budget, category.budget);
  if (mayTake(laid.length) && (await isWithin(laid, room, ports)))
    return { mode: 'category', reason: `${why}; one tool for each server does` };
  return { mode: 'search', reason: `${why}, nor does one for each server` };
}

async function chooseForDeferring(
  tools: readonly Definition[],
  { client }: CatalogView,
  ports: ModePorts,
): Promise<Choice> {
  const says = `${client} looks for tools itself`;
  const fits = tools.length <= DEFERRED_TOOLS && (await isWithin(tools, DEFERRED_TOKENS, ports));
  return fits
    ? { mode: 'direct', reason: `${says}, so it is given all ${tools.length}` }
    : {
        mode: 'search',
        reason: `${says}, but ${tools.length} tools are more than ${DEFERRED_TOOLS} or than ${DEFERRED_TOKENS} tokens`,
      };
}

/** The surface of category with nothing folded away. */
async function layAll(
  view: CatalogView,
  ports: ModePorts,
  { category }: InnerModes,
): Promise<readonly Definition[]> {
  const unbounded = { ...ports.options.category, budget: Number.POSITIVE_INFINITY };
  return category.open({ ...ports, options: { ...ports.options, category: unbounded } }).tools(view);
}

async function isWithin(
  tools: readonly Definition[],
  budget: number,
  { tokens }: ModePorts,
): Promise<boolean> {
  const text = JSON.stringify({ tools });
  return text.length <= budget * BYTES_PER_TOKEN && (await tokens.count(text)) <= budget;
}

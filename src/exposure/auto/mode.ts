/** Shows each client what suits it: every tool, one a server, or four that find them. */
import { toDigest } from '../../model/ids.ts';
import type { CatalogView } from '../../policy/policy.ts';
import type { Exposure, ExposureMode } from '../exposure.ts';
import { toOwnName, withoutPrefix } from '../own-names.ts';
import type { ModePorts } from '../ports.ts';
import { type Choice, type Choosable, chooseMode, type InnerModes } from './choose.ts';

/** Creates the mode that chooses among the given ones. */
export function createAuto(modes: InnerModes): ExposureMode {
  return {
    name: 'auto',
    summary: 'what suits the client: every tool, one a server, or four that find them',
    reserved: () => [],
    finds: (namespace) => [modes.category, modes.search].flatMap((mode) => mode.finds?.(namespace) ?? []),
    open(ports) {
      const inner: Readonly<Record<Choosable, Exposure>> = {
        direct: modes.direct.open(ports),
        category: modes.category.open(ports),
        search: modes.search.open(ports),
      };
      // A view is one request's: a greeting asks once for every tool it mentions.
      const recalled = new WeakMap<CatalogView, Promise<Choice>>();
      const recall = (view: CatalogView) => {
        const choice = recalled.get(view) ?? recallChoice(view, ports, modes);
        recalled.set(view, choice);
        return choice;
      };
      const choose = async (view: CatalogView) => (await recall(view)).mode;
      return {
        tools: async (view) => inner[await choose(view)].tools(view),
        async call(name, params, view) {
          // Decided by the name alone where it can be, so that a call does not fail when the choice changes.
          const owner = toOwner(name, view, ports.namespace, modes) ?? (await choose(view));
          return inner[owner].call(name, params, view);
        },
        mention: async (entry, view) => inner[await choose(view)].mention(entry, view),
        explain: recall,
      };
    },
  };
}

/** The choice made for this client before, as long as the configuration is the same; else a new one. */
async function recallChoice(view: CatalogView, ports: ModePorts, modes: InnerModes): Promise<Choice> {
  const configuration = toConfigurationKey(view, ports);
  const kept = await ports.kept.read(view.caller).catch(() => undefined);
  if (kept?.['configuration'] === configuration && isChoosable(kept['mode'], modes))
    return { mode: kept['mode'], reason: String(kept['reason'] ?? '') };
  const choice = await chooseMode(view, ports, modes);
  // A choice that cannot be kept is made again; it is no reason to show nothing.
  await ports.kept.update(view.caller, () => ({ ...choice, configuration })).catch(() => {});
  return choice;
}

/** Changes when the person changes something that bears on the choice or a server is met, and not when one changes its tools. */
function toConfigurationKey(view: CatalogView, { options, namespace }: ModePorts): string {
  const met = view.upstreams().map(({ upstream }) => upstream);
  const unmet = view.unmet().map(({ upstream }) => upstream);
  return toDigest(JSON.stringify([met, unmet, options.auto, options.category, namespace]), 16);
}

function isChoosable(mode: unknown, modes: InnerModes): mode is Choosable {
  return typeof mode === 'string' && Object.hasOwn(modes, mode);
}

/** Whose tool a name is; undefined where only the choice can tell. */
function toOwner(
  name: string,
  view: CatalogView,
  namespace: string,
  { search, category }: InnerModes,
): Choosable | undefined {
  const bare = withoutPrefix(name, namespace);
  const isTool = view.find('tool', name) !== undefined;
  // A server that is alone keeps its names, though one be ours.
  if (search.reserved(namespace).includes(name)) return isTool ? undefined : 'search';
  if (isTool && bare === undefined) return 'direct';
  const word = bare ?? name;
  if (category.reserved(namespace).includes(toOwnName(namespace, word)))
    return isTool ? undefined : 'category';
  const isServer = view.count(word) > 0;
  const isMeant = isTool || view.find('tool', word) !== undefined;
  // A server and a tool may share a name, as fetch does.
  if (isServer === isMeant) return undefined;
  return isServer ? 'category' : 'direct';
}

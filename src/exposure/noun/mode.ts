/** Shows the tools of a server that have a noun in common as one tool, with what is done to it as an action. */
import type { Entry } from '../../catalog/catalog.ts';
import type { CatalogView } from '../../policy/policy.ts';
import type { ExposureMode } from '../exposure.ts';
import { callByName, findRefused, isShown } from './call.ts';
import { createSurfaceMemo } from './surface-memo.ts';

/** The mode for clients that show every tool and should show fewer: nothing has to be searched for. */
export const noun: ExposureMode = {
  name: 'noun',
  summary: 'the tools of one noun folded into one, with an action to choose',
  reserved: () => [],
  open(ports) {
    // Clients whose requests stand alone open the mode for each of them.
    const memo = ports.shared('noun', createSurfaceMemo);
    const surfaceOver = (entries: readonly Entry[]) => {
      const { namespace, tokens, options } = ports;
      const { groups: wishes, brief } = options.noun;
      return memo.get(entries, { namespace, tokens, wishes, brief, maxName: ports.maxName() });
    };
    const surfaceOf = (view: CatalogView) => surfaceOver(view.list('tool'));
    return {
      tools: async (view) => (await surfaceOf(view)).definitions,
      async call(name, params, view) {
        const surface = await surfaceOf(view);
        if (isShown(name, params, surface, view, ports.namespace))
          return callByName(name, params, view, surface, ports);
        const refused = view.refused.list('tool');
        // Folded together with what is refused, an action that is not shown is still known by its name.
        const whole =
          refused.length === 0 ? undefined : await surfaceOver(toSorted(view.list('tool'), refused));
        const action = whole && findRefused(name, params, whole, view, ports.namespace);
        if (action) return view.use('tool', action.publicName, params);
        return callByName(name, params, view, surface, ports);
      },
      async mention(entry, view) {
        const place = (await surfaceOf(view)).folded.get(entry.publicName);
        return place ? `${place.group.name} with action "${place.action}"` : entry.publicName;
      },
    };
  },
};

/** As the catalogue sorts them, so that the same tools are folded the same way. */
function toSorted(...lists: readonly (readonly Entry[])[]): readonly Entry[] {
  return lists.flat().sort((a, b) => {
    if (a.upstream !== b.upstream) return a.upstream < b.upstream ? -1 : 1;
    return a.name < b.name ? -1 : 1;
  });
}

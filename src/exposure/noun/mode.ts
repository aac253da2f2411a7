/** Shows the tools of a server that have a noun in common as one tool, with what is done to it as an action. */
import type { CatalogView } from '../../policy/policy.ts';
import type { ExposureMode } from '../exposure.ts';
import { callByName } from './call.ts';
import { createSurfaceMemo } from './surface-memo.ts';

/** The mode for clients that show every tool and should show fewer: nothing has to be searched for. */
export const noun: ExposureMode = {
  name: 'noun',
  summary: 'the tools of one noun folded into one, with an action to choose',
  reserved: () => [],
  open(ports) {
    // Clients whose requests stand alone open the mode for each of them.
    const memo = ports.shared('noun', createSurfaceMemo);
    const surfaceOf = (view: CatalogView) => {
      const { namespace, tokens, options } = ports;
      const { groups: wishes, brief } = options.noun;
      return memo.get(view.list('tool'), { namespace, tokens, wishes, brief });
    };
    return {
      tools: async (view) => (await surfaceOf(view)).definitions,
      call: async (name, params, view) => callByName(name, params, view, await surfaceOf(view), ports),
      async mention(entry, view) {
        const place = (await surfaceOf(view)).folded.get(entry.publicName);
        return place ? `${place.group.name} with action "${place.action}"` : entry.publicName;
      },
    };
  },
};

/** Shows every visible tool as it is. */
import type { ExposureMode } from '../exposure.ts';
import { withoutPrefix } from '../own-names.ts';

/** The plain mode: nothing hidden, nothing folded. */
export const direct: ExposureMode = {
  name: 'direct',
  summary: 'every visible tool, as its server describes it',
  reserved: () => [],
  open: ({ namespace }) => ({
    tools: async (view) => view.list('tool').map((entry) => entry.definition),
    async call(name, params, view) {
      const bare = withoutPrefix(name, namespace);
      const known =
        bare === undefined ? undefined : (view.find('tool', bare) ?? view.refused.find('tool', bare));
      const isOurs = bare !== undefined && known && !view.find('tool', name);
      return view.use('tool', isOurs ? bare : name, params);
    },
    mention: async (entry) => entry.publicName,
  }),
};

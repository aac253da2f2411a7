/** Shows every visible tool as it is. */
import type { ExposureMode } from '../exposure.ts';

/** The plain mode: nothing hidden, nothing folded. */
export const direct: ExposureMode = {
  name: 'direct',
  summary: 'every visible tool, as its server describes it',
  reserved: [],
  open: () => ({
    tools: (view) => view.list('tool').map((entry) => entry.definition),
    call: (name, params, view) => view.use('tool', name, params),
  }),
};

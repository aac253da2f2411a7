/** Shows four tools that find, call and read everything behind them. */

import { nearest } from '../../lib/nearest.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { CatalogView } from '../../policy/policy.ts';
import { toFault } from '../answers.ts';
import type { ExposureMode } from '../exposure.ts';
import { DISCOVER, EXECUTE, LIST_RESOURCES, READ_RESOURCE, toDefinitions } from './definitions.ts';
import { discover } from './discover.ts';
import { execute } from './execute.ts';
import { listResources, readResource } from './resources.ts';

const NAMES: readonly string[] = [DISCOVER, EXECUTE, LIST_RESOURCES, READ_RESOURCE];

/** The mode for many tools: a few hundred tokens, however many there are. */
export const search: ExposureMode = {
  name: 'search',
  summary: 'four tools that find, call and read everything behind them',
  reserved: NAMES,
  open: (ports) => ({
    tools: toDefinitions,
    async call(name, params, view) {
      const args = isJsonObject(params['arguments']) ? params['arguments'] : {};
      switch (name) {
        case DISCOVER:
          return discover(args, view, ports);
        case EXECUTE:
          return execute(params, view, ports);
        case LIST_RESOURCES:
          return listResources(args, view);
        case READ_RESOURCE:
          return readResource(params, view);
        default:
          return callByName(name, params, view);
      }
    },
  }),
};

/** A client that remembers a tool by its own name is told the way. */
function callByName(name: string, _params: JsonObject, view: CatalogView): JsonObject {
  const known = [...NAMES, ...view.list('tool').map(({ publicName }) => publicName)];
  const near = nearest(name, known, 1)[0];
  const hint = near !== undefined && !NAMES.includes(near) ? `; ${EXECUTE} calls a tool by its path` : '';
  return toFault(`no tool is called "${name.slice(0, 100)}" here, only ${NAMES.join(', ')}${hint}`);
}

/** Shows four tools that find, call and read everything behind them. */
import type { JsonObject } from '../../model/json.ts';
import type { CatalogView } from '../../policy/policy.ts';
import { sayRenamed, toFault } from '../answers.ts';
import { argumentsOf } from '../arguments.ts';
import { callRefused } from '../call-refused.ts';
import type { ExposureMode } from '../exposure.ts';
import type { ModePorts } from '../ports.ts';
import { toPath } from '../tool-path.ts';
import { DISCOVER, EXECUTE, LIST_RESOURCES, READ_RESOURCE, toDefinitions } from './definitions.ts';
import { discover } from './discover.ts';
import { execute } from './execute.ts';
import { listResources, readResource } from './resources.ts';

const NAMES: readonly string[] = [DISCOVER, EXECUTE, LIST_RESOURCES, READ_RESOURCE];

/** The mode for many tools: a few hundred tokens, however many there are. */
export const search: ExposureMode = {
  name: 'search',
  summary: 'four tools that find, call and read everything behind them',
  reserved: () => NAMES,
  finds: () => [DISCOVER, LIST_RESOURCES],
  open: (ports) => ({
    tools: async (view) => toDefinitions(view),
    mention: async (entry) => `${EXECUTE} ${toPath(entry)}`,
    async call(name, params, view) {
      const args = argumentsOf(params);
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
          return callRefused(name, view, ports.namespace) ?? sayUnknown(name, view, ports);
      }
    },
  }),
};

/** A client that remembers a tool by its own name is told the way to it. */
async function sayUnknown(
  name: string,
  view: CatalogView,
  { renamed }: Pick<ModePorts, 'renamed'>,
): Promise<JsonObject> {
  const now = await renamed(name);
  if (now !== undefined) return toFault(sayRenamed(name, now));
  const [entry] = [...view.named('tool', name), ...[view.find('tool', name) ?? []].flat()];
  const hint = entry ? `; call it with ${EXECUTE} and tool_path "${toPath(entry)}"` : '';
  return toFault(`no tool is called "${name.slice(0, 100)}" here, only ${NAMES.join(', ')}${hint}`);
}

/** `execute_mcp_tool`: calls a tool by its path, lenient about the spelling, strict about the arguments. */
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { CatalogView } from '../../policy/policy.ts';
import { toFault } from '../answers.ts';
import { argumentsOf } from '../arguments.ts';
import { callRefused } from '../call-refused.ts';
import { callChecked } from '../call-tool.ts';
import type { ModePorts } from '../ports.ts';
import { sayMayCome, sayUnmet } from '../standing-text.ts';
import { findByPath, nearestPaths, sayWhich } from '../tool-path.ts';

/** Runs one call; the tool's result passes whole. */
export async function execute(params: JsonObject, view: CatalogView, ports: ModePorts): Promise<JsonObject> {
  const given = argumentsOf(params);
  const { tool_path: path, arguments: args = {} } = given;
  if (typeof path !== 'string') return toFault('tool_path has to be a path such as "github:create_issue"');
  if (!isJsonObject(args)) return toFault(`arguments has to be an object with the parameters of ${path}`);
  const meant = findByPath(path, view, ports.namespace);
  if (meant.kind === 'none')
    return callRefused(path, view, ports.namespace) ?? toFault(sayUnknown(path, view));
  if (meant.kind === 'several') return toFault(sayWhich(path, meant.entries));
  const result = await callChecked(meant.entry, args, params, view, ports);
  if (result['isError'] !== true) ports.searchMemory.called(view.caller, meant.entry);
  return result;
}

function sayUnknown(path: string, view: CatalogView): string {
  const silent = view.unmet().find(({ upstream }) => path.startsWith(`${upstream}:`));
  if (silent) return sayUnmet(silent, view, 'tools');
  const near = nearestPaths(path, view);
  const hint = near.length > 0 ? `the nearest: ${near.join(', ')}` : 'find one with discover_mcp_tools';
  return `no tool is called "${path.slice(0, 100)}"; ${hint}${sayMayCome(view)}`;
}

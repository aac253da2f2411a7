/** From the words of a call to the tool they mean: which action of which server, and with what. */
import { nearest } from '../../lib/nearest.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts';
import type { CatalogView, EntryNames } from '../../policy/policy.ts';
import { toOwnName, withoutPrefix } from '../own-names.ts';
import { sayMayCome, sayUnmet } from '../standing-text.ts';
import { findByPath, nearestPaths, type PathMeaning, sayWhich } from '../tool-path.ts';
import { ANSWER_NAMES_LIMIT, toShortList } from '../words.ts';
import { DISCOVER } from './definitions.ts';

/** What a call asks for, or what is wrong with how it asks. */
export type Request = { readonly action: string; readonly params: JsonObject } | { readonly fault: string };

/** Reads `{action, params}`; parameters put beside the action, or written as JSON text, are understood as well. */
export function parseRequest(args: JsonObject): Request {
  const { action, params, ...beside } = args;
  if (typeof action !== 'string' || action.trim() === '') {
    return { fault: 'action has to be the name of an action, and params an object with its parameters' };
  }
  if (params === undefined || params === null || params === '') return { action, params: beside };
  const given = typeof params === 'string' ? parseObject(params) : params;
  if (!isJsonObject(given))
    return { fault: `params has to be an object with the parameters of ${action.slice(0, 100)}` };
  return { action, params: { ...beside, ...given } };
}

function parseObject(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}

/** Finds an action among the tools of some servers, or of all. */
export function findAction(
  action: string,
  servers: readonly string[] | undefined,
  view: EntryNames,
  namespace: string,
): PathMeaning {
  const only = servers?.length === 1 ? servers[0] : undefined;
  if (only !== undefined) {
    const names = [action, withoutPrefix(action, namespace)];
    for (const name of names) {
      const entry = name === undefined ? undefined : view.locate('tool', only, name);
      if (entry) return { kind: 'one', entry };
    }
  }
  const meant = findByPath(action, view, namespace);
  if (servers === undefined || meant.kind === 'none') return meant;
  const inside = (meant.kind === 'one' ? [meant.entry] : meant.entries).filter(({ upstream }) =>
    servers.includes(upstream),
  );
  const [entry, second] = inside;
  if (!entry) return { kind: 'none' };
  return second ? { kind: 'several', entries: inside } : { kind: 'one', entry };
}

/** Says why an action cannot be meant, with the nearest and, for one server, the valid ones. */
export function sayNoAction(
  action: string,
  meant: PathMeaning,
  servers: readonly string[] | undefined,
  view: CatalogView,
  namespace: string,
): string {
  const shown = `"${action.slice(0, 100)}"`;
  if (meant.kind === 'several') return sayWhich(action, meant.entries);
  const server = servers?.length === 1 ? servers[0] : undefined;
  if (server !== undefined) return sayValid(shown, action, server, view);
  const silent = view.unmet().find(({ upstream }) => action.startsWith(`${upstream}:`));
  if (silent) return sayUnmet(silent, view, 'actions');
  const near = nearestPaths(action, view);
  const way =
    near.length > 0 ? `the nearest: ${near.join(', ')}` : `${toOwnName(namespace, DISCOVER)} lists them`;
  return `no tool is called ${shown}; ${way}${sayMayCome(view)}`;
}

function sayValid(shown: string, action: string, server: string, view: CatalogView): string {
  const names = view.toolsOf(server).map(({ name }) => name);
  const near = nearest(action, names, 3);
  const hint = near.length > 0 ? `; the nearest: ${near.join(', ')}` : '';
  return `${server} has no action ${shown}${hint}; its actions are ${toShortList(names, ANSWER_NAMES_LIMIT)}`;
}

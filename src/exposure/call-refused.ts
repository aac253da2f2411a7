/** Calls of tools that exist and are refused: whoever names one is told why, in every mode alike. */
import type { JsonObject } from '../model/json.ts';
import type { CatalogView } from '../policy/policy.ts';
import { findByPath } from './tool-path.ts';

/** The refusal of the tool a text names; undefined when it names none that is refused. */
export function callRefused(
  path: string,
  view: CatalogView,
  namespace: string,
): Promise<JsonObject> | undefined {
  const meant = findByPath(path, view.refused, namespace);
  return meant.kind === 'one' ? view.use('tool', meant.entry.publicName, {}) : undefined;
}

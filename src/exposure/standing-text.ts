/** Says how a server stands, in every mode alike. */
import type { Unmet } from '../catalog/catalog.ts';
import type { UpstreamId } from '../model/ids.ts';
import type { CatalogView } from '../policy/policy.ts';
import { ANSWER_NAMES_LIMIT, toShortList } from './words.ts';

/** How a server stands that never answered, and what of it is not known for that. */
export function sayUnmet(
  { upstream }: Unmet,
  view: CatalogView,
  what: 'tools' | 'actions' | 'resources',
): string {
  const { advice } = view.standing(upstream);
  return `${upstream} ${advice === '' ? 'has not answered yet' : advice}; its ${what} are not known`;
}

/** `; what may still come`, behind what was not found while servers have not answered; empty when all have. */
export function sayMayCome(view: CatalogView): string {
  const unmet = view.unmet().map(({ upstream }) => upstream);
  return unmet.length === 0 ? '' : `; not known yet: ${toShortList(unmet, ANSWER_NAMES_LIMIT)}`;
}

/** ` [what is wrong]` with a server that cannot be used, to be put behind its name; empty when all is well. */
export function toTrouble(server: string, view: CatalogView): string {
  const { usable, advice } = view.standing(server as UpstreamId);
  return usable || advice === '' ? '' : ` [${advice}]`;
}

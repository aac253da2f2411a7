/** The greeting an aggregated endpoint sends: what a person keeps as context, told with the names of the mode. */
import type { Exposure } from '../exposure/exposure.ts';
import type { CatalogView } from '../policy/policy.ts';

/** Where greetings come from. */
export interface Instructions {
  /** The greeting for one caller; names only tools that the caller can use at this endpoint. */
  text(exposure: Exposure, view: CatalogView): Promise<string | undefined>;
}

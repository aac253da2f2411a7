/** The list of modes, one line each. */
import { activate } from './activate/mode.ts';
import { createAuto } from './auto/mode.ts';
import { category, router } from './category/mode.ts';
import { direct } from './direct/mode.ts';
import type { ExposureMode } from './exposure.ts';
import { noun } from './noun/mode.ts';
import { search } from './search/mode.ts';

/** Every mode, by the name it has in addresses and configuration. */
export const MODES: readonly ExposureMode[] = [
  direct,
  search,
  category,
  router,
  activate,
  noun,
  createAuto({ direct, category, search }),
];

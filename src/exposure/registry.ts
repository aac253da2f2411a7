/** The list of modes, one line each. */
import { direct } from './direct/mode.ts';
import type { ExposureMode } from './exposure.ts';
import { search } from './search/mode.ts';

/** Every mode, by the name it has in addresses and configuration. */
export const MODES: readonly ExposureMode[] = [direct, search];

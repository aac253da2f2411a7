/** The one thing to ask about the whole. */
import type { Operation } from '../../operation.ts';
import { show } from './show.ts';

/** Every operation of the noun. */
export const CHECK_STATUS: readonly Operation[] = [show];

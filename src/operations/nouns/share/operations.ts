/** What can be done with shares, in the order they are shown. */
import type { Operation } from '../../operation.ts';
import { list } from './list.ts';
import { start } from './start.ts';
import { stop } from './stop.ts';

/** Every operation of the noun. */
export const SHARE: readonly Operation[] = [start, stop, list];

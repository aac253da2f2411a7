/** What can be done with the project in the working directory, in the order it is shown. */
import type { Operation } from '../../operation.ts';
import { analyze } from './analyze.ts';
import { devops } from './devops.ts';
import { diff } from './diff.ts';

/** Every operation on the project. */
export const PROJECT: readonly Operation[] = [analyze, diff, devops];

/** What can be done with profiles, in the order it is shown. */
import type { Operation } from '../../operation.ts';
import { create } from './create.ts';
import { remove } from './delete.ts';
import { edit } from './edit.ts';
import { list } from './list.ts';
import { restart } from './restart.ts';
import { suggest } from './suggest.ts';

/** Every operation on profiles. */
export const PROFILE: readonly Operation[] = [list, create, edit, remove, suggest, restart];

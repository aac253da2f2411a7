/** What can be done with the configuration, in the order it is shown. */
import type { Operation } from '../../operation.ts';
import { exportConfig } from './export.ts';
import { get } from './get.ts';
import { importConfig } from './import.ts';
import { list } from './list.ts';
import { migrate } from './migrate.ts';
import { set } from './set.ts';
import { unset } from './unset.ts';

/** Every operation on the configuration. */
export const CONFIG: readonly Operation[] = [get, set, unset, list, migrate, exportConfig, importConfig];

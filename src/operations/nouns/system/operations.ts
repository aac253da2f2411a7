/** What can be done with the whole, in the order it is shown. */
import type { Operation } from '../../operation.ts';
import { bootstrap } from './bootstrap.ts';
import { doctor } from './doctor.ts';
import { restart } from './restart.ts';
import { restartInfra } from './restart-infra.ts';

/** Every operation of the noun. */
export const SYSTEM: readonly Operation[] = [bootstrap, restart, restartInfra, doctor];

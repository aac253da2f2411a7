/** What the parts of storage share. */
import type { Kysely } from 'kysely';
import type { Clock } from '../../lib/clock.ts';
import type { Backend } from './backends/backend.ts';
import type { StorageTables } from './tables.ts';

/** The tables, or a transaction on them. */
export type StorageDb = Kysely<StorageTables>;

/** Where things are kept, and how much of them. */
export interface StorageParts {
  readonly db: StorageDb;
  readonly backend: Backend;
  /** Bytes one principal may keep. */
  readonly quota: number;
  /** Bytes one file may have. */
  readonly maxUpload: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A key no file has yet: small letters and digits. */
  readonly newKey: () => string;
  /** For timers. */
  readonly clock: Clock;
}

/** The places that can keep contents: one line each. */
import type { Backend } from './backend.ts';
import { createLocalBackend, type LocalOptions } from './local/backend.ts';
import { createS3Backend, type S3Options } from './s3/backend.ts';

/** Which backend, with what it needs. */
export type BackendChoice =
  | ({ readonly backend: 'local' } & LocalOptions)
  | ({ readonly backend: 's3' } & S3Options);

/** Creates the backend that was chosen. */
export function createBackend(choice: BackendChoice): Backend {
  return choice.backend === 's3' ? createS3Backend(choice) : createLocalBackend(choice);
}

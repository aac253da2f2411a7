/** Opens storage: its tables, the place that keeps contents, and the key its links are signed with. */
import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayError } from '../../errors/gateway-error.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { LOCAL_PRINCIPAL } from '../../model/principal.ts';
import type { BuiltinParts } from '../builtin.ts';
import type { Backend } from './backends/backend.ts';
import { createBackend } from './backends/registry.ts';
import { createFiles, type Files } from './files.ts';
import { LEASE_MS } from './limits.ts';
import { STORAGE_MIGRATIONS } from './migrations.ts';
import { STORAGE_OPTIONS, type StorageOptions, toByteLimits } from './options.ts';
import type { StorageParts } from './parts.ts';
import { findSecret } from './secret.ts';
import { createSigner, type Signer } from './signer.ts';
import { sweep } from './sweep.ts';
import type { StorageTables } from './tables.ts';
import { createUploads, type Uploads } from './uploads.ts';

/** What storage may be given beside what every built-in may. */
export interface StorageServerParts extends BuiltinParts {
  /** The address of the gateway's HTTP server, once it listens; links need it. */
  readonly baseUrl?: (() => string | undefined) | undefined;
  /** A place of one's own for contents, instead of the configured one. */
  readonly backend?: Backend | undefined;
  /** Where keys of files come from. */
  readonly newKey?: (() => string) | undefined;
  readonly clock?: Clock | undefined;
}

/** Open storage, as one principal uses it. */
export interface Storage {
  readonly principal: string;
  readonly files: Files;
  readonly uploads: Uploads;
  readonly signer: Signer;
  readonly backend: string;
  readonly quota: number;
  readonly maxUpload: number;
  readonly now: () => number;
  readonly newKey: () => string;
}

const FOLDER = 'files';

/** Opens storage, and removes what crashes left behind. */
export async function openStorage(given: StorageServerParts): Promise<Storage> {
  const options = parseOptions(given.options);
  const { db } = await given.store.tables<StorageTables>('storage', STORAGE_MIGRATIONS);
  const now = () => (given.now?.() ?? new Date()).getTime();
  const signer = createSigner({
    secret: await findSecret(db, given.cipher),
    baseUrl: given.baseUrl ?? noServer,
    now,
  });
  const parts: StorageParts = {
    db,
    backend: given.backend ?? (await openBackend(options, given.home, signer)),
    ...toByteLimits(options),
    now,
    newKey: given.newKey ?? (() => randomBytes(10).toString('hex')),
    clock: given.clock ?? systemClock,
  };
  await sweep(parts);
  // What died just now still looks alive; it is looked at again once it cannot.
  parts.clock.after(LEASE_MS + 1_000, () => void sweep(parts));
  return {
    principal: given.principal ?? LOCAL_PRINCIPAL.id,
    files: createFiles(parts),
    uploads: createUploads(parts),
    signer,
    backend: parts.backend.kind,
    quota: parts.quota,
    maxUpload: parts.maxUpload,
    now,
    newKey: parts.newKey,
  };
}

async function openBackend(
  { backend = 'local', bucket, ...options }: StorageOptions,
  home: string | undefined,
  signer: Signer,
): Promise<Backend> {
  if (backend === 's3') {
    if (bucket !== undefined) return createBackend({ backend, bucket, ...options });
    throw toOptionsError('bucket: is missing; an S3 store needs one');
  }
  return createBackend({
    backend,
    folder: home === undefined ? await mkdtemp(join(tmpdir(), 'thimble-files-')) : join(home, FOLDER),
    toFileUrl: (key, seconds) => signer.toUrl('file', key, seconds),
  });
}

function parseOptions(options: unknown): StorageOptions {
  const parsed = STORAGE_OPTIONS.strict().safeParse(options ?? {});
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw toOptionsError(faults.join('; '));
}

function toOptionsError(faults: string): GatewayError {
  return new GatewayError('CONFIG_INVALID', `the options of storage cannot be used: ${faults}`);
}

function noServer(): undefined {}

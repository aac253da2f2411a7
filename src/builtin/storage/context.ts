/** What the tools and routes of storage share: its tables, the place that keeps contents, and the key its links are signed with. */
import { randomBytes } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { onceLoaded } from '../../lib/once-loaded.ts';
import { LOCAL_PRINCIPAL } from '../../model/principal.ts';
import type { BuiltinParts } from '../builtin.ts';
import { parseServerOptions, toOptionsError } from '../server-options.ts';
import type { Backend } from './backends/backend.ts';
import { createBackend } from './backends/registry.ts';
import { createFiles, type Files } from './files.ts';
import { LEASE_MS } from './limits.ts';
import { MIGRATIONS, OWNER } from './migrations.ts';
import { STORAGE_OPTIONS, type StorageOptions, toByteLimits } from './options.ts';
import type { StorageParts } from './parts.ts';
import { findSecret } from './secret.ts';
import { createSigner, type Signer } from './signer.ts';
import { sweep } from './sweep.ts';
import type { StorageTables } from './tables.ts';
import { createUploads, type Uploads } from './uploads.ts';

/** What storage may be given beside what every built-in may. */
export interface StorageServerParts extends BuiltinParts {
  /** A place of one's own for contents, instead of the configured one; whoever made it closes it. */
  readonly backend?: Backend | undefined;
  /** Where keys of files come from. */
  readonly newKey?: (() => string) | undefined;
  readonly clock?: Clock | undefined;
}

/** Open storage, as one principal uses it. */
export interface Storage extends AsyncDisposable {
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

/** Storage that the first who needs it opens, and that ends for all of them at once. */
export interface KeptStorage extends AsyncDisposable {
  open(): Promise<Storage>;
}

const FOLDER = 'files';

/** The storage that tools, routes and neighbours share, where somebody keeps it; else one of our own. */
export function findStorage(parts: StorageServerParts): KeptStorage {
  const create = () => createKeptStorage(parts);
  return parts.keep?.(`${OWNER} ${parts.principal ?? ''}`, create) ?? create();
}

/** Opens storage, and removes what crashes left behind. */
export async function openStorage(given: StorageServerParts): Promise<Storage> {
  const options = parseServerOptions(STORAGE_OPTIONS, OWNER, given.options);
  const { db } = await given.store.tables<StorageTables>(OWNER, MIGRATIONS);
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
  const cancelSweep = parts.clock.after(LEASE_MS + 1_000, () => void sweep(parts));
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
    async [Symbol.asyncDispose]() {
      cancelSweep();
      if (!given.backend) await parts.backend.close();
    },
  };
}

function createKeptStorage(parts: StorageServerParts): KeptStorage {
  let opening: Promise<Storage> | undefined;
  const open = onceLoaded(() => {
    opening = openStorage(parts);
    return opening;
  });
  return {
    open,
    async [Symbol.asyncDispose]() {
      // What could not be opened has nothing to end.
      const storage = await opening?.catch(() => undefined);
      await storage?.[Symbol.asyncDispose]();
    },
  };
}

async function openBackend(
  { backend = 'local', bucket, ...options }: StorageOptions,
  home: string | undefined,
  signer: Signer,
): Promise<Backend> {
  if (backend === 's3') {
    if (bucket !== undefined) return createBackend({ backend, bucket, ...options });
    throw toOptionsError(OWNER, 'bucket: is missing; an S3 store needs one');
  }
  return createBackend({
    backend,
    folder: home === undefined ? await mkdtemp(join(tmpdir(), 'thimble-files-')) : join(home, FOLDER),
    isTemporary: home === undefined,
    toFileUrl: (key, seconds) => signer.toUrl('file', key, seconds),
  });
}

function noServer(): undefined {}

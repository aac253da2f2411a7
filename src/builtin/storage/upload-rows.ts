/** The life of an upload in the store: waiting, running, then gone with its file, or dead until it is cleaned up after. */
import { randomBytes } from 'node:crypto';
import { LEASE_MS, OPEN_UPLOAD_LIMIT, SWEEP_LIMIT } from './limits.ts';
import type { StorageDb, StorageParts } from './parts.ts';
import { toBusyUploadError, toQuotaError, toTooManyUploadsError, toUnknownUploadError } from './refusals.ts';
import type { UploadRow } from './tables.ts';
import { addUsage } from './usage.ts';

/** What is said of a file before its bytes come. */
export interface FileDetails {
  readonly principal: string;
  readonly name: string;
  /** Undefined lets the sender of the bytes say it, or else the name. */
  readonly mimeType: string | undefined;
  readonly bucket: string;
  readonly referenceType: string | undefined;
  readonly referenceId: string | undefined;
}

/** An upload under way. */
export interface RunningUpload extends UploadRow {
  readonly attempt: string;
}

/** Writes down an upload that is to come; `expiresAt` 0 means that it comes at once or never. */
export async function insertUpload(
  db: StorageDb,
  id: string,
  details: FileDetails,
  expiresAt: number,
): Promise<void> {
  await checkOpenUploads(db, details.principal);
  await db
    .insertInto('storage_uploads')
    .values({
      id,
      principal: details.principal,
      name: details.name,
      mime_type: details.mimeType ?? null,
      bucket: details.bucket,
      reference_type: details.referenceType ?? null,
      reference_id: details.referenceId ?? null,
      expires_at: expiresAt,
      state: 'waiting',
      attempt: null,
      reserved: 0,
      touched_at: 0,
    })
    .execute();
}

/** Takes an upload and its room in the quota; refused when there is no such room. */
export async function claimUpload(
  { quota, now }: StorageParts,
  db: StorageDb,
  id: string,
  reserved: number,
): Promise<RunningUpload> {
  const row = await findUpload(db, id);
  if (!row) throw toUnknownUploadError();
  if (!(await addUsage(db, row.principal, reserved, quota))) throw toQuotaError(quota);
  const attempt = randomBytes(16).toString('hex');
  const changes = { state: 'running', attempt, reserved, touched_at: now() } as const;
  const { numUpdatedRows } = await db
    .updateTable('storage_uploads')
    .set(changes)
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw toBusyUploadError();
  return { ...row, ...changes };
}

/** The upload, or undefined. */
export async function findUpload(db: StorageDb, id: string): Promise<UploadRow | undefined> {
  return db.selectFrom('storage_uploads').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Takes more room for a running upload; false when there is none. */
export async function extendUpload(
  { db, quota, now }: StorageParts,
  { id, attempt, principal }: RunningUpload,
  bytes: number,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if (!(await addUsage(transaction, principal, bytes, quota))) return false;
    const { numUpdatedRows } = await transaction
      .updateTable('storage_uploads')
      .set((row) => ({ reserved: row('reserved', '+', bytes), touched_at: now() }))
      .where('id', '=', id)
      .where('attempt', '=', attempt)
      .where('state', '=', 'running')
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw toBusyUploadError();
    return true;
  });
}

/** Shows that a running upload lives. */
export async function touchUpload({ db, now }: StorageParts, { id, attempt }: RunningUpload): Promise<void> {
  await db
    .updateTable('storage_uploads')
    .set({ touched_at: now() })
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .execute();
}

/** Removes a running upload, because its file is there; answers the room it held. */
export async function endUpload(db: StorageDb, { id, attempt }: RunningUpload): Promise<number> {
  const ended = await db
    .deleteFrom('storage_uploads')
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('state', '=', 'running')
    .returning('reserved')
    .executeTakeFirst();
  if (!ended) throw toBusyUploadError();
  return Number(ended.reserved);
}

/**
 * Gives up an upload: removes its bytes, gives back its room, and lets it be sent again while it may. False, and
 * nothing is done, when it showed since or somebody else gave it up.
 */
export async function abandonUpload(
  { db, backend, now }: StorageParts,
  { id, attempt }: RunningUpload,
  untouchedSince = Number.MAX_SAFE_INTEGER,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('storage_uploads')
    .set({ state: 'dead' })
    .where('id', '=', id)
    .where('attempt', '=', attempt)
    .where('touched_at', '<', untouchedSince)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  // Only now: an upload that was marked dead can no longer become a file.
  await backend.discard(attempt);
  await db.transaction().execute(async (transaction) => {
    const dead = await transaction
      .deleteFrom('storage_uploads')
      .where('id', '=', id)
      .where('attempt', '=', attempt)
      .returningAll()
      .executeTakeFirst();
    if (!dead) return;
    await addUsage(transaction, dead.principal, -Number(dead.reserved));
    if (Number(dead.expires_at) <= now()) return;
    const again: UploadRow = { ...dead, state: 'waiting', attempt: null, reserved: 0 };
    await transaction.insertInto('storage_uploads').values(again).execute();
  });
  return true;
}

/** Uploads whose process is gone, and announced ones that never came. */
export async function findOverUploads({ db, now }: StorageParts): Promise<readonly UploadRow[]> {
  return db
    .selectFrom('storage_uploads')
    .selectAll()
    .where((row) =>
      row.or([
        row.and([row('state', '=', 'waiting'), row('expires_at', '<=', now())]),
        row.and([row('state', '!=', 'waiting'), row('touched_at', '<', now() - LEASE_MS)]),
      ]),
    )
    .limit(SWEEP_LIMIT)
    .execute();
}

/** Cleans up after one of those. */
export async function removeOverUpload(parts: StorageParts, row: UploadRow): Promise<void> {
  const { attempt } = row;
  if (attempt !== null) {
    await abandonUpload(parts, { ...row, attempt }, parts.now() - LEASE_MS);
    return;
  }
  await parts.db
    .deleteFrom('storage_uploads')
    .where('id', '=', row.id)
    .where('state', '=', 'waiting')
    .execute();
}

async function checkOpenUploads(db: StorageDb, principal: string): Promise<void> {
  const { open } = await db
    .selectFrom('storage_uploads')
    .select((row) => row.fn.countAll().as('open'))
    .where('principal', '=', principal)
    .executeTakeFirstOrThrow();
  if (Number(open) >= OPEN_UPLOAD_LIMIT) throw toTooManyUploadsError(OPEN_UPLOAD_LIMIT);
}

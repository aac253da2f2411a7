/** Takes files in: room first, then bytes, then the row that makes the file visible. */

import type { TakenContent } from './backends/backend.ts';
import { collectContent, holdContent, noteContent } from './contents.ts';
import { checkHead, checkMimeType, guessMimeType, HEAD_SIZE } from './file-types.ts';
import { RESERVE_STEP, TOUCH_MS } from './limits.ts';
import type { StorageParts } from './parts.ts';
import { toLengthError, toQuotaError, toSizeError, toUnknownUploadError } from './refusals.ts';
import { sweep } from './sweep.ts';
import type { FileRow } from './tables.ts';
import {
  abandonUpload,
  claimUpload,
  endUpload,
  extendUpload,
  type FileDetails,
  findUpload,
  insertUpload,
  type RunningUpload,
  touchUpload,
} from './upload-rows.ts';
import { addUsage } from './usage.ts';

/** The bytes of a file and what their sender says of them. */
export interface UploadBody {
  readonly content: AsyncIterable<Uint8Array>;
  /** How many bytes will come, when it is known. */
  readonly length: number | undefined;
  readonly mimeType?: string | undefined;
}

/** The ways a file comes in. */
export interface Uploads {
  /** Writes down a file whose bytes come later; answers the key it will have, a new one unless one is given. */
  announce(details: FileDetails, seconds: number, key?: string): Promise<string>;
  /** Takes the bytes of an announced file. */
  receive(key: string, body: UploadBody): Promise<FileRow>;
  /** Takes a file with its bytes. */
  add(details: FileDetails, body: UploadBody): Promise<FileRow>;
}

/** Creates the way in. */
export function createUploads(parts: StorageParts): Uploads {
  const { db, maxUpload, now, newKey } = parts;

  function check(body: UploadBody, mimeType: string | undefined): void {
    if (body.length !== undefined && body.length > maxUpload) throw toSizeError(maxUpload);
    if (mimeType !== undefined) checkMimeType(mimeType);
  }

  return {
    async announce(details, seconds, key = newKey()) {
      if (details.mimeType !== undefined) checkMimeType(details.mimeType);
      await sweep(parts);
      const expiresAt = now() + seconds * 1000;
      await db.transaction().execute((transaction) => insertUpload(transaction, key, details, expiresAt));
      return key;
    },
    async receive(key, body) {
      await sweep(parts);
      const announced = await findUpload(db, key);
      if (!announced || Number(announced.expires_at) <= now()) throw toUnknownUploadError();
      check(body, announced.mime_type ?? body.mimeType);
      const running = await db
        .transaction()
        .execute((transaction) => claimUpload(parts, transaction, key, body.length ?? 0));
      return takeIn(parts, running, body);
    },
    async add(details, body) {
      check(body, details.mimeType);
      await sweep(parts);
      const running = await db.transaction().execute(async (transaction) => {
        const key = newKey();
        await insertUpload(transaction, key, details, 0);
        return claimUpload(parts, transaction, key, body.length ?? 0);
      });
      return takeIn(parts, running, body);
    },
  };
}

async function takeIn(parts: StorageParts, upload: RunningUpload, body: UploadBody): Promise<FileRow> {
  const stop = keepAlive(parts, upload);
  let taken: TakenContent | undefined;
  try {
    const content = checkContent(parts, upload, body);
    taken = await parts.backend.put({ attempt: upload.attempt, content, limit: parts.maxUpload });
    if (body.length !== undefined && taken.size !== body.length) throw toLengthError(taken.size, body.length);
    const mimeType = upload.mime_type ?? body.mimeType ?? guessMimeType(upload.name);
    return await finish(parts, upload, taken, mimeType);
  } catch (error) {
    // Should even this fail, a later sweep does it; what failed first is what the sender must hear.
    await giveUp(parts, upload, taken).catch(() => undefined);
    throw error;
  } finally {
    stop();
  }
}

/** An upload that slept was given up by others, who could not remove what had not arrived yet. */
async function giveUp(
  parts: StorageParts,
  upload: RunningUpload,
  taken: TakenContent | undefined,
): Promise<void> {
  if (await abandonUpload(parts, upload)) return;
  if (!taken || parts.backend.shared) {
    await parts.backend.discard(upload.attempt);
    return;
  }
  // Noted first, so that a sweep finds it should it not be removable now; a content that a file has stays.
  await noteContent(parts.db, taken.address);
  await collectContent(parts, taken.address);
}

/** Content, row, count and quota change in one transaction: a crash leaves all of the file or nothing of it. */
async function finish(
  { db, backend, now }: StorageParts,
  upload: RunningUpload,
  { address, size, sha256 }: TakenContent,
  mimeType: string,
): Promise<FileRow> {
  const { id, principal, name, bucket, reference_type, reference_id } = upload;
  const about = { id, principal, name, bucket, reference_type, reference_id };
  const created_at = new Date(now()).toISOString();
  const file: FileRow = { ...about, mime_type: mimeType, size, sha256, address, created_at };
  if (backend.shared) await noteContent(db, address);
  await db.transaction().execute(async (transaction) => {
    const reserved = await endUpload(transaction, upload);
    await addUsage(transaction, principal, size - reserved);
    await holdContent(transaction, address);
    await transaction.insertInto('storage_files').values(file).execute();
    await backend.keep(upload.attempt, address);
  });
  return file;
}

/** Looks at the first bytes before any is written, and takes more room when more comes than was announced. */
async function* checkContent(
  parts: StorageParts,
  upload: RunningUpload,
  { content }: UploadBody,
): AsyncGenerator<Uint8Array> {
  let reserved = upload.reserved;
  let size = 0;
  for await (const chunk of withWholeHead(content)) {
    if (size === 0) checkHead(chunk.subarray(0, HEAD_SIZE));
    size += chunk.byteLength;
    if (size > reserved && size <= parts.maxUpload)
      reserved += await takeRoom(parts, upload, size - reserved);
    yield chunk;
  }
}

/** The same bytes; the first piece is long enough to tell a program by, unless there is no more. */
async function* withWholeHead(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | undefined = new Uint8Array();
  for await (const chunk of content) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = head.byteLength === 0 ? chunk : Buffer.concat([head, chunk]);
    if (head.byteLength < HEAD_SIZE) continue;
    yield head;
    head = undefined;
  }
  if (head !== undefined && head.byteLength > 0) yield head;
}

async function takeRoom(parts: StorageParts, upload: RunningUpload, needed: number): Promise<number> {
  for (const bytes of [Math.max(needed, RESERVE_STEP), needed])
    if (await extendUpload(parts, upload, bytes)) return bytes;
  throw toQuotaError(parts.quota);
}

/** Shows again and again that the upload lives, until it is stopped. */
function keepAlive(parts: StorageParts, upload: RunningUpload): () => void {
  let stopped = false;
  let cancel = schedule();
  function schedule(): () => void {
    return parts.clock.after(TOUCH_MS, () => {
      // A store that is busy now is asked again; the lease outlasts several misses.
      void touchUpload(parts, upload)
        .catch(() => undefined)
        .then(() => {
          if (!stopped) cancel = schedule();
        });
    });
  }
  return () => {
    stopped = true;
    cancel();
  };
}

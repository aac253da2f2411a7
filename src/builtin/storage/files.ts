/** What is known of stored files: found, listed, counted, read and deleted, always by their owner. */
import type { Readable } from 'node:stream';
import type { ByteRange } from './backends/backend.ts';
import { collectContent, releaseContent } from './contents.ts';
import type { StorageParts } from './parts.ts';
import { toMissingContentError, toUnknownFileError } from './refusals.ts';
import type { FileRow } from './tables.ts';
import { addUsage } from './usage.ts';

/** Which files to list. */
export interface FileFilter {
  readonly bucket?: string | undefined;
  /** A whole type, or how it begins. */
  readonly mimeType?: string | undefined;
  readonly referenceType?: string | undefined;
  readonly referenceId?: string | undefined;
  readonly limit: number;
  readonly offset: number;
}

/** The files of one bucket, counted. */
export interface BucketCount {
  readonly bucket: string;
  readonly files: number;
  readonly bytes: number;
}

/** The files of storage. */
export interface Files {
  /** Refused when no file of the principal has the key. */
  find(principal: string, key: string): Promise<FileRow>;
  /** Whoever's it is: for those who hold a signed link. */
  findForAnyone(key: string): Promise<FileRow>;
  /** The newest first, and how many there are in all. */
  list(
    principal: string,
    filter: FileFilter,
  ): Promise<{ readonly files: readonly FileRow[]; readonly total: number }>;
  count(principal: string): Promise<readonly BucketCount[]>;
  read(file: FileRow, range?: ByteRange): Promise<Readable>;
  link(file: FileRow, seconds: number): Promise<string>;
  /** Deletes the file, and its content with the last file that has it. */
  delete(principal: string, key: string): Promise<FileRow>;
}

/** Creates the files over open tables and a backend. */
export function createFiles(parts: StorageParts): Files {
  const { db, backend } = parts;

  async function findForAnyone(key: string): Promise<FileRow> {
    const row = await db.selectFrom('storage_files').selectAll().where('id', '=', key).executeTakeFirst();
    if (!row) throw toUnknownFileError(key);
    return { ...row, size: Number(row.size) };
  }

  function select(principal: string, { bucket, mimeType, referenceType, referenceId }: FileFilter) {
    let query = db.selectFrom('storage_files').where('principal', '=', principal);
    if (bucket !== undefined) query = query.where('bucket', '=', bucket);
    if (referenceType !== undefined) query = query.where('reference_type', '=', referenceType);
    if (referenceId !== undefined) query = query.where('reference_id', '=', referenceId);
    if (mimeType !== undefined)
      query = query.where(
        (row) => row.fn<string>('substr', ['mime_type', row.val(1), row.val(mimeType.length)]),
        '=',
        mimeType.toLowerCase(),
      );
    return query;
  }

  return {
    findForAnyone,
    async find(principal, key) {
      const file = await findForAnyone(key);
      // The same answer as for a key that never was.
      if (file.principal !== principal) throw toUnknownFileError(key);
      return file;
    },
    async list(principal, filter) {
      const query = select(principal, filter);
      const { total } = await query.select((row) => row.fn.countAll().as('total')).executeTakeFirstOrThrow();
      const rows = await query
        .selectAll()
        .orderBy('created_at', 'desc')
        .orderBy('id')
        .limit(filter.limit)
        .offset(filter.offset)
        .execute();
      return { files: rows.map((row) => ({ ...row, size: Number(row.size) })), total: Number(total) };
    },
    async count(principal) {
      const rows = await db
        .selectFrom('storage_files')
        .select((row) => ['bucket', row.fn.countAll().as('files'), row.fn.sum('size').as('bytes')])
        .where('principal', '=', principal)
        .groupBy('bucket')
        .orderBy('bucket')
        .execute();
      return rows.map(({ bucket, files, bytes }) => ({ bucket, files: Number(files), bytes: Number(bytes) }));
    },
    async read(file, range) {
      const content = await backend.get(file.address, range);
      if (!content) throw toMissingContentError(file.id);
      return content;
    },
    async link(file, seconds) {
      if (!file.address.startsWith(`${backend.kind}:`)) throw toMissingContentError(file.id);
      const { id, address, name, mime_type } = file;
      return backend.link({ key: id, address, name, mimeType: mime_type, seconds });
    },
    async delete(principal, key) {
      const file = await db.transaction().execute(async (transaction) => {
        const row = await transaction
          .deleteFrom('storage_files')
          .where('id', '=', key)
          .where('principal', '=', principal)
          .returningAll()
          .executeTakeFirst();
        if (!row) throw toUnknownFileError(key);
        await addUsage(transaction, principal, -Number(row.size));
        await releaseContent(transaction, row.address);
        return { ...row, size: Number(row.size) };
      });
      // The file is gone for everybody; bytes that cannot be removed now are swept later.
      await collectContent(parts, file.address).catch(() => undefined);
      return file;
    },
  };
}

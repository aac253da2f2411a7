/** The tables of storage as Kysely sees them. */

/** One file, written when all of its content is there. */
export interface FileRow {
  readonly id: string;
  readonly principal: string;
  readonly name: string;
  readonly mime_type: string;
  readonly size: number;
  readonly sha256: string;
  /** A label like a folder. */
  readonly bucket: string;
  readonly reference_type: string | null;
  readonly reference_id: string | null;
  /** Where the backend keeps the content. */
  readonly address: string;
  /** ISO 8601 text. */
  readonly created_at: string;
}

/** One content, and how many files have it; with none it is to be deleted. */
interface ContentRow {
  readonly address: string;
  readonly refs: number;
}

/** One upload that is announced or under way; its id becomes the file's. */
export interface UploadRow {
  readonly id: string;
  readonly principal: string;
  readonly name: string;
  /** Null when the sender of the bytes may say it. */
  readonly mime_type: string | null;
  readonly bucket: string;
  readonly reference_type: string | null;
  readonly reference_id: string | null;
  /** Until when bytes may come, in milliseconds since 1970. */
  readonly expires_at: number;
  /** Waiting for bytes, taking them, or being cleaned up after. */
  readonly state: 'waiting' | 'running' | 'dead';
  /** Names the attempt that runs or died. */
  readonly attempt: string | null;
  /** Bytes of the quota it holds. */
  readonly reserved: number;
  /** When its process last showed that it lives, in milliseconds since 1970. */
  readonly touched_at: number;
}

/** What one principal uses of the quota: files, and what uploads under way hold. */
interface UsageRow {
  readonly principal: string;
  readonly bytes: number;
}

/** What storage keeps for itself, such as the key of its links. */
interface SettingRow {
  readonly name: string;
  readonly value: string;
}

/** Every table of storage. */
export interface StorageTables {
  readonly storage_files: FileRow;
  readonly storage_contents: ContentRow;
  readonly storage_uploads: UploadRow;
  readonly storage_usage: UsageRow;
  readonly storage_settings: SettingRow;
}

/** The tables of the store as Kysely sees them. */

/** One manifest as last seen. */
interface ManifestRow {
  readonly instance_key: string;
  readonly upstream: string;
  /** JSON text. */
  readonly manifest: string;
  /** When it was seen, as ISO 8601 text. */
  readonly seen_at: string;
}

/** What one authorization server gave us for one instance. */
interface CredentialRow {
  readonly instance_key: string;
  readonly issuer: string;
  readonly upstream: string;
  /** Sealed JSON text. */
  readonly sealed: string;
  /** When it was given, as ISO 8601 text. */
  readonly saved_at: string;
  /** Until when one process alone may renew it, in milliseconds since 1970. */
  readonly claimed_until: number;
}

/** What search learnt for one principal. */
interface LessonRow {
  readonly principal: string;
  /** JSON text. */
  readonly lessons: string;
}

/** One migration that was applied. */
export interface MigrationRow {
  readonly owner: string;
  readonly id: string;
  readonly applied_at: string;
}

/** Every table of the gateway itself. */
export interface Tables {
  readonly manifests: ManifestRow;
  readonly credentials: CredentialRow;
  readonly lessons: LessonRow;
  readonly thimble_migrations: MigrationRow;
}

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

/** One migration that was applied. */
export interface MigrationRow {
  readonly owner: string;
  readonly id: string;
  readonly applied_at: string;
}

/** Every table of the gateway itself. */
export interface Tables {
  readonly manifests: ManifestRow;
  readonly thimble_migrations: MigrationRow;
}

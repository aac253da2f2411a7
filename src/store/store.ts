/** What the gateway keeps between runs, as the rest of the house sees it. */
import type { Kysely } from 'kysely';
import type { UpstreamId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { Manifest } from '../model/manifest.ts';
import type { Cipher } from './cipher.ts';
import type { FullText } from './full-text.ts';
import type { Migration } from './migrate.ts';

/** What is remembered of an instance: its manifest, or only that it was tried in vain. */
export interface Remembered {
  readonly manifest: Manifest | undefined;
}

/** Manifests as last seen, keyed by instance (the digest of a resolved configuration). */
export interface ManifestStore {
  /** Undefined when the instance was never tried. */
  load(instanceKey: string): Promise<Remembered | undefined>;
  /** Notes that a first contact was waited for in vain, so that a start never waits twice for the same silence. */
  saveAttempt(instanceKey: string, upstream: UpstreamId): Promise<void>;
  save(instanceKey: string, upstream: UpstreamId, manifest: Manifest): Promise<void>;
  /** Forgets an instance. */
  remove(instanceKey: string): Promise<void>;
  /** Forgets every instance a configured server ever had, but for those that others have as well. */
  removeAll(upstream: UpstreamId, except?: ReadonlySet<string>): Promise<void>;
}

/** What one authorization server gave us for one instance. */
export interface StoredCredential {
  readonly issuer: string;
  /** Tokens and registrations; sealed wherever it is written down. */
  readonly secret: JsonObject;
}

/** Credentials, keyed by instance and issuer. */
export interface CredentialStore {
  /** The newest first; what our key does not open is left out. */
  load(instanceKey: string): Promise<readonly StoredCredential[]>;
  /** Keeps what an authorization server gave us, and ends a claim on it. */
  save(instanceKey: string, upstream: UpstreamId, credential: StoredCredential): Promise<void>;
  /** Takes the right to renew a credential for a while; false when somebody else has it. */
  claim(instanceKey: string, issuer: string, forMs: number): Promise<boolean>;
  /** Gives that right back, with nothing renewed. */
  release(instanceKey: string, issuer: string): Promise<void>;
  /** Forgets what was given for an instance. */
  remove(instanceKey: string): Promise<void>;
  /** Forgets everything that was ever given for a configured server, but for instances that others have as well. */
  removeAll(upstream: UpstreamId, except?: ReadonlySet<string>): Promise<void>;
}

/** Everything search learnt, by principal. */
export type LessonRecord = Readonly<Record<string, readonly object[]>>;

/** What search learnt from past calls. */
export interface LessonStore {
  load(): Promise<LessonRecord>;
  save(record: LessonRecord): Promise<void>;
  /** Forgets everything. */
  clear(): Promise<void>;
}

/** The tables of one part of the house, and the way to search them. */
export interface Database<T> {
  readonly db: Kysely<T>;
  readonly fullText: FullText;
}

/** The open store; disposing it lets go of the file. */
export interface Store extends AsyncDisposable {
  readonly manifests: ManifestStore;
  readonly credentials: CredentialStore;
  readonly lessons: LessonStore;
  /** Opens the tables of one owner, making what is missing; cheap when they are open already. */
  tables<T>(owner: string, migrations: readonly Migration[]): Promise<Database<T>>;
  /** Seals what must not be readable at rest. */
  readonly cipher: Cipher;
  /** Why nothing outlives this process, or undefined when it does. */
  readonly degraded: string | undefined;
}

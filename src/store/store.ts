/** What the gateway keeps between runs, as the rest of the house sees it. */
import type { UpstreamId } from '../model/ids.ts';
import type { Manifest } from '../model/manifest.ts';

/** What is remembered of an instance: its manifest, or only that it was tried in vain. */
export interface Remembered {
  readonly manifest: Manifest | undefined;
}

/** Manifests as last seen, keyed by instance (the digest of a resolved configuration). */
export interface ManifestStore {
  /** Undefined when the instance was never tried. */
  load(instanceKey: string): Promise<Remembered | undefined>;
  /** Notes a first contact before its outcome is known, so that a start never waits twice for the same silence. */
  saveAttempt(instanceKey: string, upstream: UpstreamId): Promise<void>;
  save(instanceKey: string, upstream: UpstreamId, manifest: Manifest): Promise<void>;
  /** Forgets an instance. */
  remove(instanceKey: string): Promise<void>;
}

/** The open store; disposing it lets go of the file. */
export interface Store extends AsyncDisposable {
  readonly manifests: ManifestStore;
  /** Why nothing outlives this process, or undefined when it does. */
  readonly degraded: string | undefined;
}

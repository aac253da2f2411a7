/** What the gateway keeps between runs, as the rest of the house sees it. */
import type { UpstreamId } from '../model/ids.ts';
import type { Manifest } from '../model/manifest.ts';

/** Manifests as last seen, keyed by instance (the digest of a resolved configuration). */
export interface ManifestStore {
  load(instanceKey: string): Promise<Manifest | undefined>;
  save(instanceKey: string, upstream: UpstreamId, manifest: Manifest): Promise<void>;
  /** Forgets every manifest of an upstream. */
  remove(upstream: UpstreamId): Promise<void>;
}

/** The open store; disposing it lets go of the file. */
export interface Store extends AsyncDisposable {
  readonly manifests: ManifestStore;
  /** Why nothing outlives this process, or undefined when it does. */
  readonly degraded: string | undefined;
}

/** What configured servers offer as far as this home has seen it; nothing is started to find out. */
import type { Config } from '../../config/config.ts';
import { createResolver, refersToSecrets } from '../../config/references.ts';
import { toDigest } from '../../model/ids.ts';
import { toCanonicalJson } from '../../model/json.ts';
import type { Manifest } from '../../model/manifest.ts';
import { toInstanceKey } from '../../upstream/instance-key.ts';
import type { House } from '../house.ts';

/** The kept manifests by the id of their server; what was never reached, or lacks a variable, is not in it. */
export async function readManifests(
  { upstreams }: Pick<Config, 'upstreams'>,
  house: House,
): Promise<ReadonlyMap<string, Manifest>> {
  if (upstreams.length === 0) return new Map();
  const { manifests } = await house.store();
  const needsSecrets = upstreams.some(({ options }) => refersToSecrets(options));
  const secrets = needsSecrets ? await (await house.secrets()).all() : new Map<string, string>();
  const resolve = createResolver(house.env, () => secrets);
  const found = upstreams.map(async ({ id, kind, options }) => {
    const resolved = resolve(options);
    if (!resolved.ok) return [];
    // Manifests are kept by what a server comes to once its references are resolved.
    const manifest = (await manifests.load(toInstanceKey(kind, resolved.options)))?.manifest;
    return manifest ? [[id, manifest] as const] : [];
  });
  return new Map((await Promise.all(found)).flat());
}

/** What the tools of a server are called. */
export function toToolNames({ lists }: Manifest): readonly string[] {
  return lists.tool.map((tool) => String(tool['name']));
}

/** What tells whether a tool is still the same: a digest of its whole definition, by its name, sorted. */
export function toFingerprints({ lists }: Manifest): Readonly<Record<string, string>> {
  const digests = lists.tool.map(
    (tool) => [String(tool['name']), toDigest(toCanonicalJson(tool), 32)] as const,
  );
  return Object.fromEntries(digests.sort(([a], [b]) => (a < b ? -1 : 1)));
}

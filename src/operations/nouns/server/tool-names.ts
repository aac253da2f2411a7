/** What the tools of a configured server are called, without starting a program. */
import type { House } from '../../house.ts';
import { readManifests, toToolNames } from '../../servers/known-manifests.ts';
import { probeUpstream } from '../../servers/probe.ts';
import type { Configured } from '../../servers/server-entries.ts';

/** The names as last seen; undefined when it never was. */
export async function readToolNames(
  { id, builtin, upstream }: Configured,
  house: House,
): Promise<readonly string[] | undefined> {
  if (!upstream) return undefined;
  const manifest = (await readManifests({ upstreams: [upstream] }, house)).get(id);
  if (manifest) return toToolNames(manifest);
  if (!builtin) return undefined;
  const seen = await probeUpstream(upstream, house);
  return seen.ok ? toToolNames(seen.manifest) : undefined;
}

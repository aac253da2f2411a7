/** Which servers would help with a project: those that are configured, and what to look for. */
import type { Manifest } from '../../model/manifest.ts';
import type { UpstreamConfig } from '../../upstream/upstream.ts';
import type { Finding } from './facts.ts';

/** A configured server that fits, and why. */
export interface Fitting {
  readonly id: string;
  readonly name: string;
  readonly because: readonly string[];
}

/** Something no configured server is for. */
export interface Lacking {
  /** What to search for. */
  readonly search: string;
  readonly because: string;
}

/** What would help. */
export interface Help {
  readonly fitting: readonly Fitting[];
  readonly lacking: readonly Lacking[];
}

const MAX_LACKING = 8;

/** Compares what a project uses with what is configured. */
export function findHelp(
  findings: readonly Finding[],
  upstreams: readonly UpstreamConfig[],
  manifests: ReadonlyMap<string, Manifest>,
): Help {
  const reasons = new Map<UpstreamConfig, string[]>();
  const lacking: Lacking[] = [];
  for (const { name, because, words } of findings) {
    const meant = upstreams.filter((upstream) => isFor(upstream, manifests.get(upstream.id), words));
    const [search] = words;
    const reason = `${name} (${because})`;
    for (const upstream of meant) reasons.set(upstream, [...(reasons.get(upstream) ?? []), reason]);
    if (meant.length === 0 && search !== undefined) lacking.push({ search, because: reason });
  }
  const fitting = [...reasons].map(([{ id, name }, because]) => ({ id, name, because }));
  return { fitting, lacking: lacking.slice(0, MAX_LACKING) };
}

/** A server is for something when its name, what it runs or what it calls itself says so. */
function isFor(upstream: UpstreamConfig, manifest: Manifest | undefined, words: readonly string[]): boolean {
  if (upstream.core) return false;
  const { command, args, url } = upstream.options;
  const said = [
    upstream.name,
    command,
    ...(Array.isArray(args) ? args : []),
    typeof url === 'string' ? toHost(url) : '',
    manifest?.hello.serverInfo['name'],
  ];
  const parts = new Set(
    said.flatMap((text) =>
      String(text ?? '')
        .toLowerCase()
        .split(/[^a-z0-9]+/),
    ),
  );
  return words.some((word) => word.split('-').every((part) => parts.has(part)));
}

/** Only where it is: the rest of an address may be anything. */
function toHost(url: string): string {
  try {
    const { hostname, pathname } = new URL(url);
    return `${hostname}${pathname}`;
  } catch {
    return '';
  }
}

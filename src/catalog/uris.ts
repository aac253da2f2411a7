/** Public URIs: untouched while one upstream owns them, qualified on a clash, mapped back by table. */
import type { UpstreamId } from '../model/ids.ts';
import type { JsonObject } from '../model/json.ts';
import type { Source, UriOwner } from './catalog.ts';
import { mapUris } from './uri-members.ts';
import { matchesTemplate } from './uri-template.ts';

/** How URIs of all upstreams are told apart. */
export interface UriTable {
  toPublic(upstream: UpstreamId, uri: string): string;
  ownerOf(publicUri: string): UriOwner | undefined;
  /** Maps every URI-carrying field of what an upstream sent. */
  mapFields(upstream: UpstreamId, value: JsonObject): JsonObject;
}

const QUALIFIED = 'thimble://s/';
const APP = 'ui://';

/** Builds the table for a set of upstreams. */
export function createUriTable(sources: readonly Source[]): UriTable {
  const clashing = findClashing(sources);
  const toPublic = (upstream: UpstreamId, uri: string) => (clashing.has(uri) ? qualify(upstream, uri) : uri);
  const byPublic = new Map<string, UriOwner>();
  for (const { upstream, uri } of allUris(sources)) byPublic.set(toPublic(upstream, uri), { upstream, uri });
  const known = new Map<string, Source>(sources.map((source) => [source.upstream, source]));
  const isMade = (source: Source, uri: string) =>
    uriList(source, 'template').some((template) => clashing.has(template) && matchesTemplate(template, uri));

  function qualifiedOwner(publicUri: string): UriOwner | undefined {
    const isApp = publicUri.startsWith(APP);
    const [id, uri] = splitQualified(publicUri, isApp ? APP : QUALIFIED);
    const source = known.get(id);
    if (!source) return undefined;
    const { upstream } = source;
    if (!isApp) return { upstream, uri };
    // Any page may have such a form; only from a template that clashes does one get it from us.
    return isMade(source, `${APP}${uri}`) ? { upstream, uri: `${APP}${uri}` } : undefined;
  }

  return {
    toPublic,
    ownerOf: (publicUri) =>
      byPublic.get(publicUri) ?? qualifiedOwner(publicUri) ?? guessOwner(publicUri, sources),
    mapFields: (upstream, value) =>
      clashing.size === 0 ? value : mapUris(value, (uri) => toPublic(upstream, uri)),
  };
}

/** The URIs that cannot stand as they are: several have them, they look like ours, or another's gets that very form. */
function findClashing(sources: readonly Source[]): ReadonlySet<string> {
  const owners = new Map<string, Set<UpstreamId>>();
  for (const { upstream, uri } of allUris(sources))
    owners.set(uri, (owners.get(uri) ?? new Set()).add(upstream));
  const clashing = new Set<string>();
  for (const [uri, who] of owners) if (who.size > 1 || uri.startsWith(QUALIFIED)) clashing.add(uri);
  // A set is walked in the order it grows, so what yields here is asked in turn whom its new form meets.
  for (const uri of clashing)
    for (const upstream of owners.get(uri) ?? []) {
      const form = qualify(upstream, uri);
      if (owners.has(form)) clashing.add(form);
    }
  return clashing;
}

function qualify(upstream: UpstreamId, uri: string): string {
  // Hosts of MCP apps insist on the scheme, so the upstream goes behind it.
  return uri.startsWith(APP)
    ? `${APP}${upstream}/${uri.slice(APP.length)}`
    : `${QUALIFIED}${upstream}/${uri}`;
}

/** The id and the rest of a qualified form; no id when it has not got one. */
function splitQualified(uri: string, prefix: string): readonly [id: string, rest: string] {
  if (!uri.startsWith(prefix)) return ['', ''];
  const rest = uri.slice(prefix.length);
  const slash = rest.indexOf('/');
  return slash <= 0 ? ['', ''] : [rest.slice(0, slash), rest.slice(slash + 1)];
}

/** For a URI nobody listed: the one upstream with a template that makes it, else the one that uses its scheme. */
function guessOwner(uri: string, sources: readonly Source[]): UriOwner | undefined {
  const withTemplate = sources.filter((source) =>
    uriList(source, 'template').some((t) => matchesTemplate(t, uri)),
  );
  if (withTemplate.length > 0) return onlyOwner(withTemplate, uri);
  const scheme = uri.slice(0, uri.indexOf(':') + 1);
  const able = sources.filter((source) => source.manifest.hello.capabilities['resources'] !== undefined);
  const sameScheme = able.filter((source) => [...urisOf(source)].some((known) => known.startsWith(scheme)));
  return onlyOwner(sameScheme.length > 0 ? sameScheme : able, uri);
}

function onlyOwner(candidates: readonly Source[], uri: string): UriOwner | undefined {
  const [first, second] = candidates;
  return first && !second ? { upstream: first.upstream, uri } : undefined;
}

function uriList(source: Source, kind: 'resource' | 'template'): string[] {
  const key = kind === 'resource' ? 'uri' : 'uriTemplate';
  return source.manifest.lists[kind].map((definition) => String(definition[key]));
}

function urisOf(source: Source): string[] {
  return [...uriList(source, 'resource'), ...uriList(source, 'template')];
}

function* allUris(sources: readonly Source[]): Generator<UriOwner> {
  for (const source of sources) for (const uri of urisOf(source)) yield { upstream: source.upstream, uri };
}

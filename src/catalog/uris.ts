/** Public URIs: untouched while one upstream owns them, qualified on a clash, mapped back by table. */
import { isUpstreamId, type UpstreamId } from '../model/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { Source, UriOwner } from './catalog.ts';
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
  const owners = new Map<string, Set<UpstreamId>>();
  for (const { upstream, uri } of allUris(sources))
    owners.set(uri, (owners.get(uri) ?? new Set()).add(upstream));
  const clashing = new Set<string>();
  for (const [uri, who] of owners) if (who.size > 1 || uri.startsWith(QUALIFIED)) clashing.add(uri);
  const known = new Set(sources.map((source) => source.upstream));

  const toPublic = (upstream: UpstreamId, uri: string) => (clashing.has(uri) ? qualify(upstream, uri) : uri);
  const byPublic = new Map<string, UriOwner>();
  for (const { upstream, uri } of allUris(sources)) byPublic.set(toPublic(upstream, uri), { upstream, uri });

  function ownerOf(publicUri: string): UriOwner | undefined {
    return byPublic.get(publicUri) ?? qualifiedOwner(publicUri, known) ?? guessOwner(publicUri, sources);
  }

  return {
    toPublic,
    ownerOf,
    mapFields: (upstream, value) =>
      clashing.size === 0 ? value : mapObject(value, (uri) => toPublic(upstream, uri)),
  };
}

function qualify(upstream: UpstreamId, uri: string): string {
  // Hosts of MCP apps insist on the scheme, so the upstream goes behind it.
  return uri.startsWith(APP)
    ? `${APP}${upstream}/${uri.slice(APP.length)}`
    : `${QUALIFIED}${upstream}/${uri}`;
}

function qualifiedOwner(uri: string, known: ReadonlySet<string>): UriOwner | undefined {
  if (!uri.startsWith(QUALIFIED)) return undefined;
  const rest = uri.slice(QUALIFIED.length);
  const slash = rest.indexOf('/');
  const upstream = rest.slice(0, slash);
  return isUpstreamId(upstream) && known.has(upstream) ? { upstream, uri: rest.slice(slash + 1) } : undefined;
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

/** The members that carry a URI, wherever the protocol puts one: links, contents, updates, an app's own page. */
const URI_MEMBERS: ReadonlySet<string> = new Set(['uri', 'uriTemplate', 'resourceUri']);

/** The members that may hold objects with such members; whatever a tool made itself is never looked into. */
const CARRIERS: ReadonlySet<string> = new Set([
  'content',
  'contents',
  'resource',
  'messages',
  '_meta',
  'ui',
  'ref',
]);

function mapObject(value: JsonObject, toPublic: (uri: string) => string): JsonObject {
  const mapped: Record<string, JsonValue | undefined> = { ...value };
  for (const key of Object.keys(value)) {
    const member = value[key];
    if (URI_MEMBERS.has(key) && typeof member === 'string') mapped[key] = toPublic(member);
    else if (CARRIERS.has(key)) mapped[key] = mapMember(member, toPublic);
  }
  return mapped;
}

function mapMember(member: JsonValue | undefined, toPublic: (uri: string) => string): JsonValue | undefined {
  if (Array.isArray(member))
    return member.map((item) => (isJsonObject(item) ? mapObject(item, toPublic) : item));
  return isJsonObject(member) ? mapObject(member, toPublic) : member;
}

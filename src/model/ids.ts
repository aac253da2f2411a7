/** Identifiers of upstreams: derived once from a name, safe in URLs, tool names and file names. */
import { createHash } from 'node:crypto';

/** `[a-z0-9-]{1,24}`: how an upstream is named everywhere but in front of people. */
export type UpstreamId = string & { readonly __brand: 'UpstreamId' };

const MAX_LENGTH = 24;
const SHAPE = /^[a-z0-9]([a-z0-9-]{0,22}[a-z0-9])?$/;

/** True when the text already is a well-formed id. */
export function isUpstreamId(text: string): text is UpstreamId {
  return SHAPE.test(text) && !text.includes('--');
}

/** Words that name parts of the gateway itself, so no upstream may be called so. */
export const RESERVED_IDS: ReadonlySet<string> = new Set([
  'activate',
  'api',
  'discover',
  'health',
  'manage',
  'router',
  'thimble',
  'tools',
]);

/** A short, stable digest of any text. */
export function toDigest(text: string, length = 8): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length);
}

/** Derives the ids of a whole configuration; the result depends on the set of names, never on their order. */
export function toUpstreamIds(
  names: Iterable<string>,
  reserved: ReadonlySet<string> = RESERVED_IDS,
): ReadonlyMap<string, UpstreamId> {
  const bySlug = new Map<string, string[]>();
  for (const name of new Set(names)) {
    const slug = toSlug(name);
    bySlug.set(slug, [...(bySlug.get(slug) ?? []), name]);
  }
  const ids = new Map<string, UpstreamId>();
  const bent: { slug: string; name: string }[] = [];
  for (const [slug, sharing] of bySlug) {
    for (const name of sharing) {
      // `Files` must never be taken for `files`: only the one spelled like the id may have it bare.
      const bare = isUpstreamId(slug) && !reserved.has(slug) && (sharing.length === 1 || name === slug);
      if (bare) ids.set(name, slug);
      else bent.push({ slug, name });
    }
  }
  const taken = new Set<string>(ids.values());
  for (const { slug, name } of bent.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const id = withDigest(slug, name, taken);
    taken.add(id);
    ids.set(name, id);
  }
  return ids;
}

function toSlug(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

function withDigest(slug: string, name: string, taken: ReadonlySet<string>): UpstreamId {
  for (let length = 4; ; length++) {
    const digest = toDigest(name, length);
    const head = slug.slice(0, MAX_LENGTH - digest.length - 1).replace(/-+$/, '') || 'server';
    const id = `${head}-${digest}`;
    if (!taken.has(id)) return id as UpstreamId;
  }
}

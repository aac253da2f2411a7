/** What the tools and the pages of the blog share. */
import { GatewayError } from '../../errors/gateway-error.ts';
import { LOCAL_PRINCIPAL } from '../../model/principal.ts';
import type { Database } from '../../store/store.ts';
import { parseServerOptions } from '../server-options.ts';
import { MIGRATIONS, OWNER } from './migrations.ts';
import { BLOG_OPTIONS } from './options.ts';
import type { BlogParts, BlogPictures, BlogShares } from './ports.ts';
import type { BlogTables } from './tables.ts';

/** The open blog of one principal. */
export interface Blog extends Database<BlogTables> {
  readonly principal: string;
  readonly shares: BlogShares | undefined;
  readonly pictures: BlogPictures | undefined;
  /** Scheme and host of the pages, as far as they are known. */
  origin(): string | undefined;
  /** The time. */
  now(): Date;
}

/** The path of the blog. */
export const BLOG_PATH = '/blog';

/** Opens the tables. */
export async function openBlog(parts: BlogParts): Promise<Blog> {
  const { url } = parseServerOptions(BLOG_OPTIONS, OWNER, parts.options);
  const { db, fullText } = await parts.store.tables<BlogTables>(OWNER, MIGRATIONS);
  return {
    db,
    fullText,
    principal: parts.principal ?? LOCAL_PRINCIPAL.id,
    shares: parts.shares,
    pictures: parts.pictures,
    origin: () => toOrigin(url ?? parts.baseUrl?.()),
    now: parts.now ?? (() => new Date()),
  };
}

/** The path of the page of a post. */
export function toPostPath(slug: string): string {
  return `${BLOG_PATH}/${encodeURIComponent(slug)}`;
}

/** The path of the page of a tag. */
export function toTagPath(key: string): string {
  return `${BLOG_PATH}/tag/${encodeURIComponent(key)}`;
}

/** The error for a post that is not there. */
export function toUnknownPost(named: string): GatewayError {
  return new GatewayError('INVALID_PARAMS', `there is no post ${named}; list_posts shows those there are`);
}

function toOrigin(url: string | undefined): string | undefined {
  return url === undefined ? undefined : new URL(url).origin;
}

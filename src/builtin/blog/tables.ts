/** The tables of the blog, as Kysely sees them. */
import type { Generated, Selectable } from 'kysely';

/** How far a post has come. */
export const POST_STATUSES = ['draft', 'published', 'archived'] as const;

/** Who may read a published post: its owner, contacts it is shared with, or anyone. */
export const VISIBILITIES = ['private', 'peers', 'public'] as const;

/** How the pages can look. */
export const THEMES = ['light', 'dark', 'serif'] as const;

/** One of the looks. */
export type Theme = (typeof THEMES)[number];

/** A post. */
export interface PostRow {
  readonly id: Generated<number>;
  readonly principal: string;
  /** The end of its address; unique for a principal. */
  readonly slug: string;
  readonly title: string;
  /** Markdown. */
  readonly content: string;
  readonly excerpt: string;
  /** 1 when somebody wrote the excerpt, 0 when it follows the content. */
  readonly is_own_excerpt: number;
  readonly author: string | null;
  readonly status: (typeof POST_STATUSES)[number];
  readonly visibility: (typeof VISIBILITIES)[number];
  readonly cover_image_key: string | null;
  /** The tags as they are shown, joined by commas; null without any. */
  readonly tags: string | null;
  /** When it was first published; kept when it is taken back. */
  readonly published_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly grams: string | null;
}

/** A post as it is read. */
export type Post = Selectable<PostRow>;

/** One tag of one post. */
export interface TagRow {
  readonly post_id: number;
  readonly principal: string;
  /** What tags are compared by. */
  readonly key: string;
  readonly name: string;
}

/** What one principal chose for the blog; null where nothing was chosen. */
export interface SettingsRow {
  readonly principal: string;
  readonly title: string | null;
  readonly tagline: string | null;
  readonly author: string | null;
  readonly language: string | null;
  readonly theme: Theme | null;
  readonly css: string | null;
  /** The last change of anything in this blog. */
  readonly changed_at: string;
}

/** All of them. */
export interface BlogTables {
  readonly blog_posts: PostRow;
  readonly blog_tags: TagRow;
  readonly blog_settings: SettingsRow;
}

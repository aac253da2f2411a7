/** The name and the look of the blog, and when anything of it last changed. */
import type { Kysely } from 'kysely';
import type { Blog } from './context.ts';
import type { BlogTables, SettingsRow, Theme } from './tables.ts';

/** What holds for the blog, chosen or not. */
export interface Settings {
  readonly title: string;
  readonly tagline: string | undefined;
  readonly author: string | undefined;
  /** A language tag, such as `en` or `pt-BR`. */
  readonly language: string;
  readonly theme: Theme;
  /** Style sheet that follows the theme. */
  readonly css: string | undefined;
  /** The last change of anything here, ISO 8601; undefined while nothing ever was. */
  readonly changedAt: string | undefined;
}

/** What can be chosen. */
export type Choices = Partial<Omit<SettingsRow, 'principal' | 'changed_at'>>;

const DEFAULT_TITLE = 'Blog';
const DEFAULT_LANGUAGE = 'en';

/** Reads them. */
export async function readSettings({ db, principal }: Blog): Promise<Settings> {
  const row = await db
    .selectFrom('blog_settings')
    .selectAll()
    .where('principal', '=', principal)
    .executeTakeFirst();
  return {
    title: row?.title ?? DEFAULT_TITLE,
    tagline: row?.tagline ?? undefined,
    author: row?.author ?? undefined,
    language: row?.language ?? DEFAULT_LANGUAGE,
    theme: row?.theme ?? 'light',
    css: row?.css ?? undefined,
    changedAt: row?.changed_at,
  };
}

/** Keeps what was chosen, and notes that something changed. */
export async function saveSettings(
  { principal, now }: Blog,
  db: Kysely<BlogTables>,
  choices: Choices,
): Promise<void> {
  const changed_at = now().toISOString();
  await db
    .insertInto('blog_settings')
    .values({ principal, ...choices, changed_at })
    .onConflict((conflict) => conflict.column('principal').doUpdateSet({ ...choices, changed_at }))
    .execute();
}

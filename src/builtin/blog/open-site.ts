/** Reads what every page needs of the blog. */
import { BLOG_PATH, type Blog } from './context.ts';
import type { Site } from './pages/site.ts';
import { toDigest } from './respond.ts';
import { readSettings } from './settings.ts';
import { toStyleSheet } from './themes/themes.ts';

/** The site with the style sheet that its pages point to. */
export interface OpenSite extends Site {
  readonly styleSheet: string;
}

/** The site; its configured address counts more than the one it was asked at. */
export async function openSite(blog: Blog, asked: string): Promise<OpenSite> {
  const settings = await readSettings(blog);
  const styleSheet = toStyleSheet(settings.theme, settings.css);
  return {
    settings,
    origin: blog.origin() ?? asked,
    styleSheet,
    stylePath: `${BLOG_PATH}/style.css?v=${toDigest(styleSheet)}`,
  };
}

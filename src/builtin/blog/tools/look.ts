/** The tools that name the blog and change how it looks. */
import * as z from 'zod';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { defineTool, REPLACES } from '../../builtin.ts';
import { fence } from '../../fence.ts';
import { orNull, toPresent } from '../../text.ts';
import type { Blog } from '../context.ts';
import { findCssFaults } from '../css-check.ts';
import { readSettings, saveSettings } from '../settings.ts';
import { THEMES } from '../tables.ts';

const MAX_FAULTS = 8;

const language = z
  .string()
  .max(35)
  .refine(isLanguage, 'has to be a language tag such as en, de or pt-BR')
  .describe('tag such as en or pt-BR');

/** Shows or changes the name, the language and the theme. */
export const blogSettings = defineTool({
  name: 'blog_settings',
  title: 'Blog settings',
  description: 'Show or change the name and theme of the blog.',
  input: z.object({
    action: z.enum(['get', 'set']),
    title: z.string().max(200).optional(),
    tagline: z.string().max(500).optional(),
    author: z.string().max(200).describe('of posts that name none').optional(),
    language: language.optional(),
    theme: z.enum(THEMES).optional(),
  }),
  output: z.object({
    title: z.string(),
    tagline: z.string().optional(),
    author: z.string().optional(),
    language: z.string(),
    theme: z.string(),
    css: z.string().optional(),
  }),
  annotations: REPLACES,
  async run({ action, theme, ...texts }, blog: Blog) {
    const given = Object.entries(texts).flatMap(([name, text]) =>
      text === undefined ? [] : [[name, orNull(text)] as const],
    );
    const choices = { ...Object.fromEntries(given), ...(theme !== undefined && { theme }) };
    const names = Object.keys(choices);
    if (action === 'set' && names.length === 0)
      throw toUnsetError('give title, tagline, author, language or theme');
    if (action === 'get' && names.length > 0)
      throw toUnsetError(`use the action set to change ${names.join(', ')}`);
    if (action === 'set') await saveSettings(blog, blog.db, choices);
    const { changedAt: _, ...settings } = await readSettings(blog);
    return toPresent(settings);
  },
  toText: ({ css, ...settings }) => {
    const lines = Object.entries(settings).map(([name, value]) => `${name}: ${value}`);
    return fence([...lines, ...(css === undefined ? [] : [`css of your own:\n${css}`])].join('\n'));
  },
});

/** Replaces the style sheet that follows the theme. */
export const blogCustomizeTheme = defineTool({
  name: 'blog_customize_theme',
  title: 'Customize the theme',
  description: 'Replace the style sheet that follows the theme; empty removes it.',
  input: z.object({ css: z.string().max(10_000) }),
  output: z.object({ characters: z.int() }),
  annotations: REPLACES,
  async run({ css }, blog: Blog) {
    const faults = findCssFaults(css);
    if (faults.length > 0) {
      const shown = faults.slice(0, MAX_FAULTS).join('; ');
      throw new GatewayError('INVALID_PARAMS', `css: was not kept: ${shown}`);
    }
    const kept = orNull(css);
    await saveSettings(blog, blog.db, { css: kept });
    return { characters: kept?.length ?? 0 };
  },
  toText: ({ characters }) =>
    characters === 0
      ? 'The theme is as it came.'
      : `A style sheet of ${characters} characters follows the theme.`,
});

function isLanguage(tag: string): boolean {
  // Empty means not chosen, as it does for every other text.
  if (tag === '') return true;
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

function toUnsetError(what: string): GatewayError {
  return new GatewayError('INVALID_PARAMS', `the settings were not changed: ${what}`);
}

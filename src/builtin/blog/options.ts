/** What of the blog can be configured. */
import * as z from 'zod';

/** The options of the blog in the configuration file. */
export const BLOG_OPTIONS = z.object({
  url: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .optional()
    .describe(
      'where readers reach this gateway, such as https://example.org; feeds and links are made with it',
    ),
});

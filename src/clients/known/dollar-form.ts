/** How Gemini CLI and what grew from it write a server down. */
import type { EntryForm } from '../entry-form.ts';

/** `httpUrl` beside `url`, and variables as `$NAME`. */
export const DOLLAR_FORM: EntryForm = {
  url: ['httpUrl', 'url'],
  sseUrl: 'url',
  timeout: { member: 'timeout', ms: 1 },
  disabledTools: 'excludeTools',
  toReference: (text) => text.replace(/\$([A-Za-z_][A-Za-z0-9_]*)/g, (_whole, name: string) => `\${${name}}`),
};

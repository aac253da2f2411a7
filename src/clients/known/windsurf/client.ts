/** Windsurf: JSON that calls an address `serverUrl`. */
import { defineClient } from '../../define-client.ts';
import { inHome } from '../../locations.ts';

/** Windsurf. */
export const windsurf = defineClient({
  key: 'windsurf',
  title: 'Windsurf',
  files: (places) => [inHome(places, '.codeium', 'windsurf', 'mcp_config.json')],
  form: {
    url: ['serverUrl', 'url'],
    off: { member: 'disabled', value: true },
    disabledTools: 'disabledTools',
  },
});

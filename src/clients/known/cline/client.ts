/** Cline: JSON in the storage of a VS Code extension, or in a directory of its own. */
import { defineClient } from '../../define-client.ts';
import { inHome, inVsCode } from '../../locations.ts';

const FILE = 'cline_mcp_settings.json';

/** Cline. */
export const cline = defineClient({
  key: 'cline',
  title: 'Cline',
  files: (places) => [
    ...inVsCode(places, 'globalStorage', 'saoudrizwan.claude-dev', 'settings', FILE),
    inHome(places, '.cline', 'data', 'settings', FILE),
  ],
  traces: (places) => [
    ...inVsCode(places, 'globalStorage', 'saoudrizwan.claude-dev'),
    inHome(places, '.cline'),
  ],
  form: {
    remoteTypes: { http: 'streamableHttp', sse: 'sse' },
    off: { member: 'disabled', value: true },
    timeout: { member: 'timeout', ms: 1_000 },
  },
});

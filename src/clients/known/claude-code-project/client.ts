/** Claude Code, for one project: the .mcp.json in its directory. */
import { CLIENTS_FILE } from '../../../config/clients-file.ts';
import { defineClient } from '../../define-client.ts';
import { joinOn } from '../../locations.ts';

/** Claude Code (this project). */
export const claudeCodeProject = defineClient({
  key: 'claude-code-project',
  title: 'Claude Code (this project)',
  scope: 'project',
  files: (places) => [joinOn(places, places.cwd, CLIENTS_FILE)],
  traces: () => [],
  form: {
    localType: 'stdio',
    remoteTypes: { http: 'http', sse: 'sse' },
    timeout: { member: 'timeout', ms: 1 },
  },
});

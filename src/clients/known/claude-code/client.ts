/** Claude Code, for all projects of a person: a large JSON file that it writes itself all the time. */
import { isJsonObject } from '../../../model/json.ts';
import { defineClient } from '../../define-client.ts';
import { inHome, joinOn } from '../../locations.ts';

/** Claude Code. */
export const claudeCode = defineClient({
  key: 'claude-code',
  title: 'Claude Code',
  files: (places) => {
    const moved = places.env['CLAUDE_CONFIG_DIR'];
    return [moved ? joinOn(places, moved, '.claude.json') : inHome(places, '.claude.json')];
  },
  traces: (places) => [places.env['CLAUDE_CONFIG_DIR'] || inHome(places, '.claude')],
  remark({ projects }) {
    const counts = Object.values(isJsonObject(projects) ? projects : {}).map((project) => {
      const servers = isJsonObject(project) ? project['mcpServers'] : undefined;
      return isJsonObject(servers) ? Object.keys(servers).length : 0;
    });
    const servers = counts.reduce((sum, count) => sum + count, 0);
    if (servers === 0) return undefined;
    const held = counts.filter((count) => count > 0).length;
    return `It has ${servers} more for single projects (projects.<path>.mcpServers of ${held}); those are neither imported nor changed.`;
  },
  form: {
    localType: 'stdio',
    remoteTypes: { http: 'http', sse: 'sse' },
    timeout: { member: 'timeout', ms: 1 },
  },
});

/** Claude Code, for all projects of a person: a large JSON file that it writes itself all the time. */
import { defineClient } from '../define-client.ts';
import { inHome, joinOn } from '../locations.ts';

/** Claude Code. */
export const claudeCode = defineClient({
  key: 'claude-code',
  title: 'Claude Code',
  files: (places) => {
    const moved = places.env['CLAUDE_CONFIG_DIR'];
    return [moved ? joinOn(places, moved, '.claude.json') : inHome(places, '.claude.json')];
  },
  traces: (places) => [places.env['CLAUDE_CONFIG_DIR'] || inHome(places, '.claude')],
  form: { localType: 'stdio', remoteTypes: { http: 'http', sse: 'sse' } },
});

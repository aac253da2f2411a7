/** OpenCode: JSON with comments, where a program and its arguments are one list. */
import { defineClient } from '../../define-client.ts';
import { inConfig } from '../../locations.ts';

/** OpenCode. */
export const opencode = defineClient({
  key: 'opencode',
  title: 'OpenCode',
  files: (places) => {
    const moved = places.env['OPENCODE_CONFIG'];
    const usual = ['opencode.json', 'opencode.jsonc'].map((name) => inConfig(places, 'opencode', name));
    return moved ? [moved] : usual;
  },
  shelf: { path: ['mcp'], kind: 'record' },
  form: {
    commandIsList: true,
    env: 'environment',
    localType: 'local',
    remoteTypes: { http: 'remote', sse: 'remote' },
    off: { member: 'enabled', value: false },
    extra: () => ({ enabled: true }),
    toReference: (text) =>
      text.replace(/\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g, (_whole, name: string) => `\${env:${name}}`),
  },
});

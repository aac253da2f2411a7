/** Goose: YAML whose extensions are its own parts and MCP servers alike. */

import type { JsonObject } from '../../../model/json.ts';
import { defineClient } from '../../define-client.ts';
import { loadYamlFormat } from '../../format/yaml-format.ts';
import { inAppData, inConfig } from '../../locations.ts';

/** Goose. */
export const goose = defineClient({
  key: 'goose',
  title: 'Goose',
  files: (places) => [
    places.machine.platform === 'win32'
      ? inAppData(places, 'Block', 'goose', 'config', 'config.yaml')
      : inConfig(places, 'goose', 'config.yaml'),
  ],
  loadFormat: loadYamlFormat,
  shelf: { path: ['extensions'], kind: 'record' },
  form: {
    command: 'cmd',
    env: 'envs',
    url: ['uri', 'url'],
    localType: 'stdio',
    remoteTypes: { http: 'streamable_http', sse: 'sse' },
    off: { member: 'enabled', value: false },
    ownTypes: ['builtin', 'platform', 'frontend', 'inline_python'],
    extra: (name) => ({ name, enabled: true, timeout: 300 }),
    timeout: { member: 'timeout', ms: 1_000 },
    more: { members: ['env_keys'], read: toKeptVariables },
  },
});

/** Variables whose values Goose keeps to itself; here they have to come from the environment. */
function toKeptVariables(native: JsonObject): { readonly env: JsonObject } {
  const names = Array.isArray(native['env_keys']) ? native['env_keys'].map(String) : [];
  return { env: Object.fromEntries(names.map((name) => [name, `\${env:${name}}`])) };
}

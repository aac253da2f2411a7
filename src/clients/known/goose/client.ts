/** Goose: YAML whose extensions are its own parts and MCP servers alike. */
import { defineClient } from '../../define-client.ts';
import { toPassedOn } from '../../entry-form.ts';
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
    // Goose keeps their values to itself; here they have to come from the environment.
    more: { env: { env_keys: toPassedOn } },
  },
});

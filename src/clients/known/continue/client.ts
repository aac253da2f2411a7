/** Continue: YAML with a list of servers that say their names. */
import { defineClient } from '../../define-client.ts';
import { loadYamlFormat } from '../../format/yaml-format.ts';
import { inHome } from '../../locations.ts';

/** Continue. */
export const continueDev = defineClient({
  key: 'continue',
  title: 'Continue',
  files: (places) => [inHome(places, '.continue', 'config.yaml')],
  loadFormat: loadYamlFormat,
  shelf: { path: ['mcpServers'], kind: 'list' },
  form: {
    remoteTypes: { http: 'streamable-http', sse: 'sse' },
    headers: ['requestOptions', 'headers'],
    startTimeout: { member: 'connectionTimeout', ms: 1 },
    extra: (name) => ({ name }),
  },
});

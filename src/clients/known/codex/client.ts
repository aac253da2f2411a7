/** Codex CLI: TOML with one table a server. */

import { isJsonObject, type JsonValue } from '../../../model/json.ts';
import { defineClient } from '../../define-client.ts';
import { toPassedOn } from '../../entry-form.ts';
import { loadTomlFormat } from '../../format/toml-format.ts';
import { inHome, joinOn } from '../../locations.ts';

/** Codex CLI. */
export const codex = defineClient({
  key: 'codex',
  title: 'Codex CLI',
  files: (places) => {
    const moved = places.env['CODEX_HOME'];
    return [moved ? joinOn(places, moved, 'config.toml') : inHome(places, '.codex', 'config.toml')];
  },
  loadFormat: loadTomlFormat,
  shelf: { path: ['mcp_servers'], kind: 'record' },
  form: {
    headers: ['http_headers'],
    off: { member: 'enabled', value: false },
    timeout: { member: 'tool_timeout_sec', ms: 1_000 },
    startTimeout: { member: 'startup_timeout_sec', ms: 1_000 },
    disabledTools: 'disabled_tools',
    more: {
      env: { env_vars: toPassedOn },
      headers: { env_http_headers: toHeaders, bearer_token_env_var: toAuthorization },
    },
  },
});

/** Headers that Codex takes from its own environment, as references. */
function toHeaders(said: JsonValue | undefined): Record<string, string> {
  const named = isJsonObject(said) ? Object.entries(said) : [];
  return Object.fromEntries(
    named.flatMap(([header, name]) => (isName(name) ? [[header, `\${env:${name}}`]] : [])),
  );
}

function toAuthorization(name: JsonValue | undefined): Record<string, string> {
  return isName(name) ? { Authorization: `Bearer \${env:${name}}` } : {};
}

function isName(name: JsonValue | undefined): name is string {
  return typeof name === 'string' && name !== '';
}

/** Codex CLI: TOML with one table a server. */

import { isJsonObject, type JsonObject } from '../../../model/json.ts';
import { defineClient } from '../../define-client.ts';
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
    more: { members: ['env_vars', 'env_http_headers', 'bearer_token_env_var'], read: toFromEnvironment },
  },
});

/** Variables and headers that Codex takes from its own environment, as references. */
function toFromEnvironment(native: JsonObject): { readonly env: JsonObject; readonly headers: JsonObject } {
  const passed = Array.isArray(native['env_vars']) ? native['env_vars'].map(String) : [];
  const named = isJsonObject(native['env_http_headers']) ? Object.entries(native['env_http_headers']) : [];
  const token = native['bearer_token_env_var'];
  return {
    env: Object.fromEntries(passed.map((name) => [name, `\${env:${name}}`])),
    headers: Object.fromEntries([
      ...named.map(([header, name]) => [header, `\${env:${name}}`]),
      ...(typeof token === 'string' ? [['Authorization', `Bearer \${env:${token}}`]] : []),
    ]) as JsonObject,
  };
}

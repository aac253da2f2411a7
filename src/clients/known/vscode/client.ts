/** VS Code: JSON with `servers`, and `inputs` that it asks people for. */
import { defineClient } from '../../define-client.ts';
import { inVsCode } from '../../locations.ts';

/** VS Code. */
export const vscode = defineClient({
  key: 'vscode',
  title: 'VS Code',
  files: (places) => inVsCode(places, 'mcp.json'),
  shelf: { path: ['servers'], kind: 'record' },
  form: { localType: 'stdio', remoteTypes: { http: 'http', sse: 'sse' } },
});

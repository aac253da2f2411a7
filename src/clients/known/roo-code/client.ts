/** Roo Code: JSON in the storage of a VS Code extension. */
import { defineClient } from '../../define-client.ts';
import { inVsCode } from '../../locations.ts';

const STORAGE = ['globalStorage', 'rooveterinaryinc.roo-cline'];

/** Roo Code. */
export const rooCode = defineClient({
  key: 'roo-code',
  title: 'Roo Code',
  files: (places) => inVsCode(places, ...STORAGE, 'settings', 'mcp_settings.json'),
  traces: (places) => inVsCode(places, ...STORAGE),
  form: {
    remoteTypes: { http: 'streamable-http', sse: 'sse' },
    off: { member: 'disabled', value: true },
    timeout: { member: 'timeout', ms: 1_000 },
    disabledTools: 'disabledTools',
  },
});

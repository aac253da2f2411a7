/** 5ire: JSON whose entries repeat their key and say whether they are active. */
import { defineClient } from '../../define-client.ts';
import { inAppData } from '../../locations.ts';

/** 5ire. */
export const fiveIre = defineClient({
  key: '5ire',
  title: '5ire',
  files: (places) => [inAppData(places, '5ire', 'mcp.json')],
  form: {
    localType: 'local',
    remoteTypes: { http: 'remote', sse: 'remote' },
    off: { member: 'isActive', value: false },
    extra: (name) => ({ key: name, isActive: true }),
  },
});

/** Trae: one JSON file among the settings of applications. */
import { defineClient } from '../../define-client.ts';
import { inAppData, inConfig } from '../../locations.ts';

/** Trae. */
export const trae = defineClient({
  key: 'trae',
  title: 'Trae',
  files: (places) => {
    const usual = inAppData(places, 'Trae', 'User', 'mcp.json');
    return places.machine.platform === 'linux' ? [inConfig(places, 'trae', 'mcp.json'), usual] : [usual];
  },
});

/** Claude Desktop: one JSON file among the settings of applications. */

import type { Places } from '../../client.ts';
import { defineClient } from '../../define-client.ts';
import { inAppData, inHome, joinOn } from '../../locations.ts';

const FILE = 'claude_desktop_config.json';

/** Claude Desktop. */
export const claudeDesktop = defineClient({
  key: 'claude-desktop',
  title: 'Claude Desktop',
  files: (places) => [inAppData(places, 'Claude', FILE), ...toPackaged(places)],
});

/** Where Windows puts the settings when it was installed from a package. */
function toPackaged(places: Places): readonly string[] {
  if (places.machine.platform !== 'win32') return [];
  const local = places.env['LOCALAPPDATA'] || inHome(places, 'AppData', 'Local');
  const roaming = ['Packages', 'Claude_pzs8sxrjxfjjc', 'LocalCache', 'Roaming'];
  return [joinOn(places, local, ...roaming, 'Claude', FILE)];
}

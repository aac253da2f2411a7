/** Cursor: one JSON file for all projects. */
import { defineClient } from '../../define-client.ts';
import { inHome } from '../../locations.ts';

/** Cursor. */
export const cursor = defineClient({
  key: 'cursor',
  title: 'Cursor',
  files: (places) => [inHome(places, '.cursor', 'mcp.json')],
});

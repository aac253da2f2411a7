/** The file that clients keep in a project. */

/** What it is called; other programs read it, so nothing but its servers is ours to write. */
export const CLIENTS_FILE = '.mcp.json';

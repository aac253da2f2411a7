/** What `thimble serve` tells a person: what is served, where, and how to connect a client. */

import { VERSION } from '../../model/version.ts';
import type { Health } from '../../session/health.ts';

/** What the welcome is made of. */
export interface Welcome {
  readonly url: string;
  readonly health: Health;
  readonly configPath: string | undefined;
  /** Where a first configuration would be looked for. */
  readonly suggestedPath: string;
  readonly home: string;
  /** How this program is started, for clients that speak stdio. */
  readonly program: readonly string[];
}

/** The lines to print. */
export function toWelcome(welcome: Welcome): string[] {
  const { url, health } = welcome;
  const count = health.servers.length + health.externalServers.length;
  return [
    `Thimble ${VERSION} is ready: ${plural(count, 'server')}, ${plural(health.toolCounts.total, 'tool')}`,
    '',
    `  endpoint       ${url}/mcp`,
    `  one server     ${url}/s/<id>/mcp`,
    `  health         ${url}/health`,
    `  configuration  ${welcome.configPath ?? `none yet, looking for ${welcome.suggestedPath}`}`,
    `  data           ${welcome.home}`,
    '',
    ...toServerLines(health),
    ...(welcome.configPath === undefined ? toFirstConfig(welcome.suggestedPath) : []),
    'Connect a client, one of:',
    `  claude mcp add --transport http thimble ${url}/mcp`,
    `  { "mcpServers": { "thimble": { "type": "http", "url": "${url}/mcp" } } }`,
    `  ${toStdioEntry(welcome.program)}`,
    '',
    'Ctrl-C stops it.',
  ];
}

function toServerLines({ externalServers }: Health): string[] {
  if (externalServers.length === 0) return [];
  const width = Math.max(...externalServers.map(({ id }) => id.length));
  const lines = externalServers.map(
    ({ id, tools }) => `  ${id.padEnd(width)}  ${tools > 0 ? plural(tools, 'tool') : 'not heard of yet'}`,
  );
  return ['Servers:', ...lines, ''];
}

function toFirstConfig(path: string): string[] {
  return [
    `Add your first server: put this into ${path}, it is picked up while running:`,
    '  { "mcpServers": { "everything": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-everything"] } } }',
    '',
  ];
}

function toStdioEntry([command, ...args]: readonly string[]): string {
  return JSON.stringify({ mcpServers: { thimble: { command, args: [...args, 'stdio'] } } });
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

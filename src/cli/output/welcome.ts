/** What `thimble serve` tells a person: what is served, where, and how to connect a client. */
import { VERSION } from '../../model/version.ts';
import { count } from '../../operations/shown/words.ts';
import type { Upstream } from '../../upstream/upstream.ts';

/** What the welcome is made of. */
export interface Welcome {
  readonly url: string;
  readonly upstreams: readonly WelcomeUpstream[];
  readonly configPath: string | undefined;
  /** Where a configuration is looked for, in words. */
  readonly looked: string;
  /** Where a first configuration is best put. */
  readonly suggestedPath: string;
  readonly home: string;
  /** True when the person chose the home, so that whoever starts this again has to as well. */
  readonly homeGiven: boolean;
  /** How this program is started, for clients that speak stdio. */
  readonly program: readonly string[];
}

/** What the welcome says of a server comes from this. */
export type WelcomeUpstream = Pick<Upstream, 'config' | 'state' | 'manifest'>;

/** The lines to print. */
export function toWelcome(welcome: Welcome): string[] {
  const { url, upstreams } = welcome;
  const served = upstreams.filter(({ config }) => config.enabled);
  const tools = served.reduce((sum, upstream) => sum + countTools(upstream), 0);
  return [
    `Thimble ${VERSION} is ready: ${count(served.length, 'server')}, ${count(tools, 'tool')}`,
    '',
    `  endpoint       ${url}/mcp`,
    `  one server     ${url}/s/<id>/mcp`,
    `  health         ${url}/health`,
    `  configuration  ${welcome.configPath ?? `none yet; looking for ${welcome.looked}`}`,
    `  data           ${welcome.home}`,
    '',
    ...toServerLines(upstreams),
    ...(welcome.configPath === undefined ? toFirstConfig(welcome) : []),
    'Connect a client, one of:',
    `  claude mcp add --transport http thimble ${url}/mcp`,
    `  { "mcpServers": { "thimble": { "type": "http", "url": "${url}/mcp" } } }`,
    `  ${toStdioEntry(welcome)}`,
    '',
    'Ctrl-C stops it.',
  ];
}

function toServerLines(upstreams: readonly WelcomeUpstream[]): string[] {
  if (upstreams.length === 0) return [];
  const rows = upstreams.map((upstream) => ({ label: toLabel(upstream), status: toStatus(upstream) }));
  const width = Math.max(...rows.map(({ label }) => label.length));
  return ['Servers:', ...rows.map(({ label, status }) => `  ${label.padEnd(width)}  ${status}`), ''];
}

function toLabel({ config: { id, name } }: WelcomeUpstream): string {
  return name === id ? id : `${id} (${toOneLine(name)})`;
}

function toStatus(upstream: WelcomeUpstream): string {
  const { state, manifest, config } = upstream;
  const known = manifest && count(countTools(upstream), 'tool');
  // What is known is served from what was kept, whether or not the server is up.
  const trouble = (text: string) => (known === undefined ? text : `${known} as last seen; ${text}`);
  switch (state.is) {
    case 'disabled':
      return 'switched off';
    case 'awaiting_config':
      return `needs ${state.missing} (set ${state.missing.includes(', ') ? 'them' : 'it'}, then restart)`;
    case 'needs_auth':
      return trouble(`needs credentials: ${toReason(state.reason, config)}`);
    case 'offline':
    case 'error':
    case 'failed':
    case 'restarting':
      return trouble(`${state.is}: ${toReason(state.reason, config)}`);
    default:
      return known ?? 'starting';
  }
}

function countTools({ manifest }: WelcomeUpstream): number {
  return manifest?.lists.tool.length ?? 0;
}

/** Reasons name their server, which the line has done already. */
function toReason(reason: string, { id, name }: Upstream['config']): string {
  const named = [name, id].find((each) => reason.startsWith(`${each}: `));
  return toOneLine(named === undefined ? reason : reason.slice(named.length + 2));
}

/** What others said must not pass for lines of ours or steer the terminal. */
function toOneLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').replaceAll(/\p{Cc}/gu, '\uFFFD');
}

function toFirstConfig({ suggestedPath, program }: Welcome): string[] {
  return [
    `AI clients with servers already? This takes them over, and can be undone: ${program.join(' ')} init`,
    `Or add your first server: put this into ${suggestedPath}, it is picked up while running:`,
    '  { "mcpServers": { "everything": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-everything"] } } }',
    '',
  ];
}

/** Clients start programs in directories of their own, so everything found from here is named. */
function toStdioEntry({ program, configPath, home, homeGiven }: Welcome): string {
  const [command, ...before] = program;
  const args = [...before, 'stdio'];
  if (configPath !== undefined) args.push('--config', configPath);
  if (homeGiven) args.push('--home', home);
  return JSON.stringify({ mcpServers: { thimble: { command, args } } });
}

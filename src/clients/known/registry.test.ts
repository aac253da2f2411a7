import { expect, it } from 'vitest';
import type { Places } from '../client.ts';
import { CLIENTS, findClient } from './registry.ts';

const MAC: Places = {
  machine: { platform: 'darwin', userHome: '/Users/ada' },
  env: {},
  cwd: '/Users/ada/work',
};
const LINUX: Places = {
  machine: { platform: 'linux', userHome: '/home/ada' },
  env: {},
  cwd: '/home/ada/work',
};
const WINDOWS: Places = {
  machine: { platform: 'win32', userHome: 'C:\\Users\\ada' },
  env: { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' },
  cwd: 'C:\\work',
};

const SUPPORT = '/Users/ada/Library/Application Support';
const ROAMING = 'C:\\Users\\ada\\AppData\\Roaming';
const CLINE = ['globalStorage', 'saoudrizwan.claude-dev', 'settings', 'cline_mcp_settings.json'];
const ROO = ['globalStorage', 'rooveterinaryinc.roo-cline', 'settings', 'mcp_settings.json'];

const USUAL: readonly (readonly [key: string, mac: string, windows: string, linux: string])[] = [
  [
    'claude-desktop',
    `${SUPPORT}/Claude/claude_desktop_config.json`,
    `${ROAMING}\\Claude\\claude_desktop_config.json`,
    '/home/ada/.config/Claude/claude_desktop_config.json',
  ],
  ['claude-code', '/Users/ada/.claude.json', 'C:\\Users\\ada\\.claude.json', '/home/ada/.claude.json'],
  ['claude-code-project', '/Users/ada/work/.mcp.json', 'C:\\work\\.mcp.json', '/home/ada/work/.mcp.json'],
  [
    'cursor',
    '/Users/ada/.cursor/mcp.json',
    'C:\\Users\\ada\\.cursor\\mcp.json',
    '/home/ada/.cursor/mcp.json',
  ],
  [
    'windsurf',
    '/Users/ada/.codeium/windsurf/mcp_config.json',
    'C:\\Users\\ada\\.codeium\\windsurf\\mcp_config.json',
    '/home/ada/.codeium/windsurf/mcp_config.json',
  ],
  [
    'vscode',
    `${SUPPORT}/Code/User/mcp.json`,
    `${ROAMING}\\Code\\User\\mcp.json`,
    '/home/ada/.config/Code/User/mcp.json',
  ],
  [
    'cline',
    [`${SUPPORT}/Code/User`, ...CLINE].join('/'),
    [`${ROAMING}\\Code\\User`, ...CLINE].join('\\'),
    ['/home/ada/.config/Code/User', ...CLINE].join('/'),
  ],
  [
    'roo-code',
    [`${SUPPORT}/Code/User`, ...ROO].join('/'),
    [`${ROAMING}\\Code\\User`, ...ROO].join('\\'),
    ['/home/ada/.config/Code/User', ...ROO].join('/'),
  ],
  [
    'continue',
    '/Users/ada/.continue/config.yaml',
    'C:\\Users\\ada\\.continue\\config.yaml',
    '/home/ada/.continue/config.yaml',
  ],
  [
    'goose',
    '/Users/ada/.config/goose/config.yaml',
    `${ROAMING}\\Block\\goose\\config\\config.yaml`,
    '/home/ada/.config/goose/config.yaml',
  ],
  [
    'codex',
    '/Users/ada/.codex/config.toml',
    'C:\\Users\\ada\\.codex\\config.toml',
    '/home/ada/.codex/config.toml',
  ],
  [
    'gemini',
    '/Users/ada/.gemini/settings.json',
    'C:\\Users\\ada\\.gemini\\settings.json',
    '/home/ada/.gemini/settings.json',
  ],
  [
    'qwen',
    '/Users/ada/.qwen/settings.json',
    'C:\\Users\\ada\\.qwen\\settings.json',
    '/home/ada/.qwen/settings.json',
  ],
  [
    'trae',
    `${SUPPORT}/Trae/User/mcp.json`,
    `${ROAMING}\\Trae\\User\\mcp.json`,
    '/home/ada/.config/trae/mcp.json',
  ],
  ['5ire', `${SUPPORT}/5ire/mcp.json`, `${ROAMING}\\5ire\\mcp.json`, '/home/ada/.config/5ire/mcp.json'],
  [
    'opencode',
    '/Users/ada/.config/opencode/opencode.json',
    'C:\\Users\\ada\\.config\\opencode\\opencode.json',
    '/home/ada/.config/opencode/opencode.json',
  ],
];

it.each(USUAL)('knows where %s keeps its file on each system', (key, mac, windows, linux) => {
  const client = findClient(key);
  expect(client.files(MAC)[0]).toBe(mac);
  expect(client.files(WINDOWS)[0]).toBe(windows);
  expect(client.files(LINUX)[0]).toBe(linux);
});

it('tells every client by a key of its own', () => {
  expect(CLIENTS.map(({ key }) => key).sort()).toEqual(USUAL.map(([key]) => key).sort());
});

it.each([
  ['claude-code', { CLAUDE_CONFIG_DIR: '/etc/claude' }, '/etc/claude/.claude.json'],
  ['codex', { CODEX_HOME: '/srv/codex' }, '/srv/codex/config.toml'],
  ['opencode', { OPENCODE_CONFIG: '/srv/oc.json' }, '/srv/oc.json'],
  ['goose', { XDG_CONFIG_HOME: '/srv/config' }, '/srv/config/goose/config.yaml'],
  ['claude-desktop', { XDG_CONFIG_HOME: '/srv/config' }, '/srv/config/Claude/claude_desktop_config.json'],
])('lets the environment say where %s keeps its file', (key, env, path) => {
  expect(findClient(key).files({ ...LINUX, env })[0]).toBe(path);
});

it('also looks where other editions and packages keep theirs', () => {
  expect(findClient('vscode').files(LINUX)).toContain('/home/ada/.config/VSCodium/User/mcp.json');
  expect(findClient('claude-desktop').files(WINDOWS)[1]).toMatch(/AppData\\Local\\Packages\\Claude_/);
  expect(findClient('cline').files(LINUX).at(-1)).toBe(
    '/home/ada/.cline/data/settings/cline_mcp_settings.json',
  );
});

it('understands the names MCPM has, and knows the nearest of a wrong one', () => {
  expect(findClient('goose-cli').key).toBe('goose');
  expect(() => findClient('windsruf')).toThrow('did you mean "windsurf"?');
});

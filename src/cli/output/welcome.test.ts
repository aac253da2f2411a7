import { describe, expect, it } from 'vitest';
import type { UpstreamId } from '../../model/ids.ts';
import type { Manifest } from '../../model/manifest.ts';
import type { UpstreamConfig, UpstreamState } from '../../upstream/upstream.ts';
import { toWelcome, type Welcome, type WelcomeUpstream } from './welcome.ts';

const online: UpstreamState = { is: 'online', since: 0 };

function upstream(id: string, state: UpstreamState, tools?: number, name = id): WelcomeUpstream {
  const config: UpstreamConfig = {
    id: id as UpstreamId,
    name,
    kind: 'stdio',
    options: {},
    tags: [],
    enabled: state.is !== 'disabled',
    timeoutMs: 1,
    startTimeoutMs: 1,
    era: undefined,
    interactive: 'shared',
  };
  return { config, state, manifest: tools === undefined ? undefined : toManifest(tools) };
}

function toManifest(tools: number): Manifest {
  return {
    hello: {
      era: 'legacy',
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'fake', version: '1' },
      capabilities: {},
      instructions: undefined,
    },
    lists: {
      tool: Array.from({ length: tools }, (_, index) => ({ name: `t${index}` })),
      resource: [],
      template: [],
      prompt: [],
    },
  };
}

function welcome(changes: Partial<Welcome> = {}): string[] {
  return toWelcome({
    url: 'http://127.0.0.1:1',
    upstreams: [],
    configPath: '/home/ada/thimble.jsonc',
    looked: 'thimble.jsonc in /work',
    suggestedPath: '/home/ada/thimble.jsonc',
    home: '/home/me/.thimble',
    homeGiven: false,
    program: ['node', '/x/dist/main.js'],
    ...changes,
  });
}

/** The arguments of the entry for clients that start a program. */
function stdioArgs(lines: string[]): string[] {
  const line = lines.find((each) => each.includes('"stdio"')) ?? '';
  return JSON.parse(line).mcpServers.thimble.args;
}

describe('toWelcome', () => {
  it('says where each server stands', () => {
    const lines = welcome({
      upstreams: [
        upstream('bad', { is: 'offline', reason: 'bad: it ended with code 1\nand a trace', retryAt: 0 }),
        upstream('files', online, 14),
        upstream('github', { is: 'awaiting_config', missing: 'GITHUB_TOKEN' }),
        upstream('kept', { is: 'offline', reason: 'gone', retryAt: 0 }, 1),
        upstream('locked', { is: 'needs_auth', reason: 'it answered 401' }),
        upstream('my-web', { is: 'idle' }, 2, 'My Web'),
        upstream('off', { is: 'disabled' }),
        upstream('slow', { is: 'connecting', since: 0 }),
        upstream('two', { is: 'awaiting_config', missing: 'A, B' }),
        upstream('zero', online, 0),
      ],
    });
    expect(lines[0]).toContain('is ready: 9 servers, 17 tools');
    const start = lines.indexOf('Servers:') + 1;
    expect(lines.slice(start, start + 10)).toEqual([
      '  bad              offline: it ended with code 1',
      '  files            14 tools',
      '  github           needs GITHUB_TOKEN (set it, then restart)',
      '  kept             1 tool as last seen; offline: gone',
      '  locked           needs credentials: it answered 401',
      '  my-web (My Web)  2 tools',
      '  off              switched off',
      '  slow             starting',
      '  two              needs A, B (set them, then restart)',
      '  zero             0 tools',
    ]);
  });

  it('lets no name or reason steer the terminal', () => {
    const lines = welcome({
      upstreams: [
        upstream('a', { is: 'offline', reason: '\u001b[2Jboo', retryAt: 0 }, undefined, 'A\u001b[31m'),
      ],
    });
    expect(lines.join('')).not.toContain('\u001b');
  });

  it('prints an entry that works from any directory', () => {
    expect(stdioArgs(welcome())).toEqual(['/x/dist/main.js', 'stdio', '--config', '/home/ada/thimble.jsonc']);
    expect(stdioArgs(welcome({ homeGiven: true })).slice(-2)).toEqual(['--home', '/home/me/.thimble']);
  });

  it('says where a configuration is looked for when there is none', () => {
    const lines = welcome({ configPath: undefined });
    expect(lines).toContain('  configuration  none yet; looking for thimble.jsonc in /work');
    expect(stdioArgs(lines)).toEqual(['/x/dist/main.js', 'stdio']);
  });
});

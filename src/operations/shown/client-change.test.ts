import { expect, it } from 'vitest';
import { OWN, openDesk } from '../../clients/client.contract.ts';
import { findClient } from '../../clients/known/registry.ts';
import { toShownDiff } from './client-change.ts';

const PEM = ['-----BEGIN PRIVATE KEY-----', 'planted14line', 'planted15line', '-----END PRIVATE KEY-----'];

const ENTRIES = {
  one: {
    command: 'npx',
    args: ['-y', 'x', '--api-key=planted-01', '--token', 'planted-02', '-e', 'PASSWORD=planted-03'],
    env: { PLAIN: 'planted-04', SECRET: 'planted-05', PIN: '742', URL: 'https://u:planted-06@h.example/x' },
  },
  two: {
    url: 'https://x.example/mcp?api_key=planted-07',
    headers: { 'X-Any': 'planted-08', Cookie: 'planted-09' },
  },
};

async function diffOf(key: string, text: string, take: readonly string[]): Promise<string> {
  await using desk = await openDesk(findClient(key), text);
  return toShownDiff(await desk.clients.previewConnect(key, OWN, { take })).join('\n');
}

it.each([
  [
    'laid out',
    JSON.stringify(
      { primaryApiKey: 'planted-10', mcpServers: ENTRIES, oauth: { token: 'planted-11' } },
      null,
      2,
    ),
  ],
  [
    'on one line',
    JSON.stringify({ primaryApiKey: 'planted-10', mcpServers: ENTRIES, oauth: { token: 'planted-11' } }),
  ],
  ['in two lines', `{"mcpServers":\n${JSON.stringify(ENTRIES)}}`],
  [
    'one server a line',
    `{"mcpServers": {\n  "one": ${JSON.stringify(ENTRIES.one)},\n  "two": ${JSON.stringify(ENTRIES.two)}\n}}`,
  ],
])('hides every secret of JSON %s', async (_how, text) => {
  for (const take of [[], ['one'], ['one', 'two']]) {
    const shown = await diffOf('cursor', text, take);
    expect(shown).not.toMatch(/planted|"742/);
    expect(shown).toContain('thimble');
  }
});

it('hides what stands over several lines', async () => {
  const lines = PEM.map((line) => `        ${line}`).join('\n');
  const text = `extensions:\n  one:\n    type: stdio\n    cmd: x\n    envs:\n      CERT: |\n${lines}\n      FLAG: 'planted-16'\n`;
  expect(await diffOf('goose', text, ['one'])).not.toMatch(/planted/);
});

it('hides what TOML holds in its own ways', async () => {
  const text = `[mcp_servers.one]\ncommand = "x"\nargs = ["--token", 'planted-17']\nenv = { A = "planted-18", "B" = 'planted-19' }\n`;
  const shown = await diffOf('codex', text, ['one']);
  expect(shown).not.toMatch(/planted/);
  expect(shown).toContain('-command = "x"');
});

it('shows what is no secret, references included', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what people write
  const env = { TOKEN: '${env:TOKEN}' };
  const shown = await diffOf(
    'cursor',
    JSON.stringify({ mcpServers: { a: { command: 'uvx', env } } }, null, 2),
    ['a'],
  );
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is what people write
  expect(shown).toContain('-        "TOKEN": "${env:TOKEN}"');
  expect(shown).toContain('-      "command": "uvx"');
  expect(shown).toContain('+      "command": "/usr/bin/node"');
});

it('shows constants and numbers, whatever they are called', async () => {
  const text = JSON.stringify({ token: null, password: true, tokens: 5000 }, null, 2);
  const shown = await diffOf('cursor', text, []);
  for (const line of ['"token": null', '"password": true', '"tokens": 5000']) expect(shown).toContain(line);
  const yaml = 'token: 742742\nextensions:\n  one:\n    type: stdio\n    cmd: x\n';
  expect(await diffOf('goose', yaml, ['one'])).not.toContain('742742');
});

it('says that a file goes', async () => {
  await using desk = await openDesk(findClient('cursor'), undefined);
  await desk.clients.connect('cursor', OWN, { take: [] });
  expect(toShownDiff(await desk.clients.previewDisconnect('cursor')).at(-1)).toContain('is removed');
});

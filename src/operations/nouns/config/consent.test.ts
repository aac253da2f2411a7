import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openShares } from '../../../session/shares.ts';
import { toPlanLines } from '../../operation.ts';
import type { TestHouse } from '../../test-house.contract.ts';
import { openConfigured, prepare, readConfigText } from './test-parts.contract.ts';

const TEXT = `{
  // Mine.
  "mcpServers": {
    "desk": { "command": "desk", "args": ["--port", "80"], "env": { "DESK_TOKEN": "\${secret:desk.DESK_TOKEN}", "NODE_OPTIONS": "--trace" } },
    "shelf": { "url": "https://shelf.example/mcp", "tags": ["work"] }
  },
  "builtin": { "storage": { "secretAccessKey": "\${secret:storage.key}", "quotaMb": 5 } },
  "exposure": { "mode": "search", "search": { "learn": false } }
}
`;

async function openHouse(): Promise<TestHouse> {
  const house = await openConfigured(TEXT);
  const secrets = await house.secrets();
  await secrets.save('desk.DESK_TOKEN', 'kestrel-99');
  await secrets.save('storage.key', 'godwit-66');
  return house;
}

function change(key: string, value?: string) {
  return prepare(value === undefined ? 'unset' : 'set', { key, ...(value !== undefined && { value }) });
}

async function planOf(house: TestHouse, key: string, value?: string): Promise<string | undefined> {
  const plan = await change(key, value).plan(house);
  expect(await readConfigText(house)).toBe(TEXT);
  return plan && [plan.summary, ...toPlanLines(plan)].join('\n');
}

describe('what is lost for good', () => {
  it.each([
    ['mcpServers.desk', undefined, ['removes the server desk', 'forgets for good: desk.DESK_TOKEN']],
    ['mcpServers', undefined, ['removes the server desk', 'removes the server shelf', 'desk.DESK_TOKEN']],
    ['mcpServers', '{}', ['removes the server desk', 'removes the server shelf', 'desk.DESK_TOKEN']],
    ['mcpServers.shelf', undefined, ['removes the server shelf']],
    ['mcpServers.desk', '{"command":"other"}', ['forgets for good: desk.DESK_TOKEN', 'desk runs other']],
    ['mcpServers.desk.env.DESK_TOKEN', undefined, ['forgets for good: desk.DESK_TOKEN']],
    ['builtin', undefined, ['forgets for good: storage.key']],
    ['builtin', 'false', ['forgets for good: storage.key']],
    ['builtin', '{}', ['forgets for good: storage.key']],
    ['builtin.storage', 'false', ['forgets for good: storage.key']],
    ['builtin.storage', undefined, ['forgets for good: storage.key']],
  ])('is asked about first: %s to %s', async (key, value, words) => {
    await using house = await openHouse();
    const plan = await planOf(house, key, value);
    for (const each of [...words, `a copy of the file as it is now goes to ${join(house.home, 'backups')}`])
      expect(plan).toContain(each);
    expect(plan).not.toMatch(/kestrel|godwit/);
    expect(await (await house.secrets()).names()).toEqual(['desk.DESK_TOKEN', 'storage.key']);
  });

  it.each([
    ['mcpServers.desk', undefined],
    ['mcpServers', '{}'],
    ['builtin', 'false'],
    ['exposure', undefined],
    ['mcpServers.desk.command', 'other'],
  ])('is kept as a private copy of the file: %s to %s', async (key, value) => {
    await using house = await openHouse();
    const { output, text } = await change(key, value).run(house);
    const backup = String(output['backup']);
    expect(backup.startsWith(join(house.home, 'backups'))).toBe(true);
    expect(text).toContain(backup);
    expect(await readFile(backup, 'utf8')).toBe(TEXT);
    expect((await stat(backup)).mode & 0o777).toBe(0o600);
  });

  it('keeps no copy where nothing changes', async () => {
    await using house = await openHouse();
    await change('mcpServers.desk.command', 'desk').run(house);
    await change('mcpServers.desk.cwd').run(house);
    expect(await readdir(house.home)).not.toContain('backups');
  });
});

describe('what is asked about besides', () => {
  it('is the name that all tools of the gateway begin with', async () => {
    await using house = await openHouse();
    expect(await planOf(house, 'namespace', 'other')).toContain('thimble_… becomes other_…');
    expect(await planOf(house, 'namespace')).toBeUndefined();
    await change('namespace', 'other').run(house);
    expect((await change('namespace').plan(house))?.details[0]).toContain('other_… becomes thimble_…');
  });

  it('is a value that is not shown: another one is no less of a change', async () => {
    await using house = await openHouse();
    const plan = await planOf(house, 'mcpServers.desk.env.NODE_OPTIONS', '--require=/tmp/x.js');
    expect(plan).toContain('set mcpServers.desk.env.NODE_OPTIONS');
    expect(await planOf(house, 'mcpServers.desk.env.NODE_OPTIONS', '--trace')).toBeUndefined();
  });

  it('is how a server is run, in full, however much else changes', async () => {
    await using house = await openHouse();
    const args = Array.from({ length: 200 }, (_, index) => `a${index}`);
    const entry = JSON.stringify({ args, command: 'sh', timeout: 1 });
    expect(await planOf(house, 'mcpServers.new', entry)).toContain(`new runs sh ${args.join(' ')}`);
  });

  it('is no name that hides something', async () => {
    await using house = await openHouse();
    for (const name of ['a\u202eb', 'a\nb', 'a\u200bb'])
      await expect(
        planOf(house, `mcpServers[${JSON.stringify(name)}]`, '{"command":"x"}'),
      ).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
  });
});

describe('the change that is shown', () => {
  it('is one of the lines of the file, as they are laid out, without its secrets', async () => {
    const written = `{
  "mcpServers": { "desk": { "command": "desk", "env": { "A": "kestrel-99" } } }, // "old": "godwit-66"
  "exposure": { "mode": "search" }, // mine
  "http": { "port": 7500 }
}
`;
    await using house = await openConfigured(written);
    const plan = await change('http.port', '7600').plan(house);
    expect(plan?.diffs?.slice(2)).toEqual([
      '@@ -2,4 +2,4 @@',
      '   "mcpServers": { "desk": { "command": "desk", "env": { "A": "(hidden)" } } }, // (hidden)',
      '   "exposure": { "mode": "search" }, // mine',
      '-  "http": { "port": 7500 }',
      '+  "http": { "port": 7600 }',
      ' }',
    ]);
  });
});

describe('tags of servers', () => {
  const share = async (house: TestHouse, target: string) => {
    const now = house.now().getTime();
    const expiresAt = now + 3_600_000;
    await openShares(await house.store(), () => now).start({
      name: 'team',
      kind: 'profile',
      target,
      expiresAt,
    });
  };

  it('need nobody while no profile of theirs is shared', async () => {
    await using house = await openHouse();
    expect(await planOf(house, 'mcpServers.desk.tags', '["work"]')).toBeUndefined();
    expect(await planOf(house, 'mcpServers.shelf.tags')).toBeUndefined();
    await share(house, 'other');
    expect(await planOf(house, 'mcpServers.desk.tags', '["work"]')).toBeUndefined();
  });

  it.each([
    ['mcpServers.desk.tags', '["work"]', 'desk'],
    ['mcpServers.shelf.tags', '["work","late"]', 'shelf', 'late'],
    ['mcpServers.desk.tags[0]', 'work', 'desk'],
    ['builtin.memory.tags', '["work"]', 'memory'],
  ])('need a person when a share would reach more: %s to %s', async (key, value, server, target = 'work') => {
    await using house = await openHouse();
    await share(house, target);
    expect(await planOf(house, key, value)).toContain(
      `every tool of ${server} becomes reachable to whoever has the token of the share team, which shows the profile ${target} until 2026-11-16 13:00 UTC`,
    );
    expect(await planOf(house, 'mcpServers.shelf.tags')).toBeUndefined();
  });
});

import { access, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openConfigFile } from '../../../config/config-file.ts';
import { CONFIG_PARTS } from '../../../gateway.ts';
import type { UpstreamId } from '../../../model/ids.ts';
import { toSecretReference } from '../../../store/secrets.ts';
import { openTestHouse } from '../../test-house.contract.ts';
import { toProgramFolder } from './download.ts';
import { findInstanceKey } from './keep-entry.ts';
import { uninstall } from './uninstall.ts';

const [MINE, TWIN] = ['mine', 'twin'] as UpstreamId[] as [UpstreamId, UpstreamId];
const ISSUER = 'https://as.example';

/** A house with two servers that come to the same, and everything that can be kept of them. */
async function setUp() {
  const house = await openTestHouse();
  onTestFinished(() => house[Symbol.asyncDispose]());
  await mkdir(house.home, { recursive: true });
  const mcpServers = { mine: { url: 'https://a.example/mcp' }, twin: { url: 'https://a.example/mcp' } };
  await writeFile(join(house.home, 'thimble.jsonc'), JSON.stringify({ mcpServers }));
  const { manifests, credentials, lessons } = await house.store();
  const upstream = (await house.config.read()).config.upstreams.find(({ id }) => id === MINE);
  const key = upstream ? await findInstanceKey(upstream, house) : '';
  for (const each of [key, 'older']) {
    await manifests.saveAttempt(each, MINE);
    await credentials.save(each, MINE, { issuer: ISSUER, secret: {} });
  }
  const lesson = (id: string) => ({ terms: ['a'], key: `${id}\0read`, at: 1 });
  await lessons.save({ local: [lesson(MINE), lesson(TWIN)] });
  const kept = async (of: string) => [
    (await manifests.load(of)) !== undefined,
    (await credentials.load(of)).length > 0,
  ];
  return { house, kept, key, lessons, lesson };
}

it('forgets all that was ever seen, given and learnt of a server, and nothing another has as well', async () => {
  const { house, kept, key, lessons, lesson } = await setUp();
  await uninstall.prepare({ name: MINE }).run(house);
  expect([await kept(key), await kept('older')]).toEqual([
    [true, true],
    [false, false],
  ]);
  expect(await lessons.load()).toEqual({ local: [lesson(TWIN)] });
  await uninstall.prepare({ name: TWIN }).run(house);
  expect(await kept(key)).toEqual([false, false]);
  expect(await lessons.load()).toEqual({ local: [] });
});

it('forgets no secret and no program that another configuration of the home uses', async () => {
  const house = await openTestHouse();
  onTestFinished(() => house[Symbol.asyncDispose]());
  const { cwd, home } = house;
  const command = join(toProgramFolder(house), 'x');
  const mcpServers = { x: { command, env: { TOKEN: toSecretReference('x.TOKEN') } } };
  for (const folder of [cwd, dirname(command)]) await mkdir(folder, { recursive: true });
  for (const file of [join(home, 'thimble.jsonc'), join(cwd, 'b.jsonc')])
    await writeFile(file, JSON.stringify({ mcpServers }));
  await writeFile(command, '');
  await (await house.secrets()).save('x.TOKEN', 'opensesame');
  const config = openConfigFile({ cwd, home, explicit: 'b.jsonc' }, CONFIG_PARTS);
  const { plan, run } = uninstall.prepare({ name: 'x' });
  expect(JSON.stringify(await plan({ ...house, config }))).not.toContain('for good');
  expect((await run({ ...house, config })).output).toMatchObject({ secrets: 0 });
  await access(command);
  expect(JSON.stringify(await plan(house))).toContain('forgets for good: x.TOKEN');
  expect((await run(house)).output).toMatchObject({ secrets: 1 });
  await expect(access(command)).rejects.toMatchObject({ code: 'ENOENT' });
});

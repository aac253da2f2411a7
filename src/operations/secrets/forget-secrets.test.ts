// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration look like templates
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openConfigFile } from '../../config/config-file.ts';
import { CONFIG_PARTS } from '../../gateway.ts';
import type { House } from '../house.ts';
import { openTestHouse } from '../test-house.contract.ts';
import { findUnused, forgetUnused } from './forget-secrets.ts';

const X = { command: 'x', env: { TOKEN: '${secret:x.TOKEN}' } };
const without = (house: House) => house.config.edit(() => [{ path: ['mcpServers', 'x'], value: undefined }]);
const names = async (house: House) => (await house.secrets()).names();

/** One home with a value that its own configuration and another one refer to. */
async function setUp(other: (house: House) => string) {
  const house = await openTestHouse();
  onTestFinished(() => house[Symbol.asyncDispose]());
  await mkdir(house.home, { recursive: true });
  await mkdir(house.cwd, { recursive: true });
  await (await house.secrets()).save('x.TOKEN', 'opensesame');
  const explicit = other(house);
  await writeFile(join(house.home, 'thimble.jsonc'), JSON.stringify({ mcpServers: { x: X } }));
  await writeFile(explicit, '{}');
  const { cwd, home } = house;
  const second = { ...house, config: openConfigFile({ cwd, home, explicit }, CONFIG_PARTS) };
  await second.config.edit(() => [{ path: ['mcpServers', 'x'], value: X }]);
  return { house, second, file: explicit };
}

describe('a value that several configurations of one home refer to', () => {
  it.each([
    ['in a project', ({ cwd }: House) => join(cwd, 'b.jsonc')],
    ['in the data directory', ({ home }: House) => join(home, 'b.json')],
  ])('is forgotten with the last of them: %s', async (_where, other) => {
    for (const order of [0, 1]) {
      const { house, second } = await setUp(other);
      const [first, last] = order === 0 ? [house, second] : [second, house];
      await without(first);
      expect(await findUnused(['x.TOKEN'], {}, first)).toEqual([]);
      expect(await forgetUnused(['x.TOKEN'], first)).toEqual([]);
      expect(await names(house)).toEqual(['x.TOKEN']);
      await without(last);
      expect(await findUnused(['x.TOKEN'], {}, last)).toEqual(['x.TOKEN']);
      expect(await forgetUnused(['x.TOKEN', 'x.OTHER'], last)).toEqual(['x.TOKEN']);
      expect(await names(house)).toEqual([]);
    }
  });

  it('is forgotten when the other one is no more', async () => {
    const { house, file } = await setUp(({ cwd }) => join(cwd, 'b.jsonc'));
    await without(house);
    await rm(file);
    expect(await forgetUnused(['x.TOKEN'], house)).toEqual(['x.TOKEN']);
  });

  it('is kept while the other one cannot be read', async () => {
    const { house, file } = await setUp(({ cwd }) => join(cwd, 'b.jsonc'));
    await without(house);
    await rm(file);
    await symlink(file, file);
    expect(await forgetUnused(['x.TOKEN'], house)).toEqual([]);
  });

  it('is kept while the one in use refers to it again', async () => {
    const { house } = await setUp(({ cwd }) => join(cwd, 'b.jsonc'));
    expect(await forgetUnused(['x.TOKEN'], house)).toEqual([]);
  });
});

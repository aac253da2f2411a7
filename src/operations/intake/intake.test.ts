// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration look like templates
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../model/json.ts';
import { sealSection } from '../secrets/draft-secrets.ts';
import { openTestHouse, type TestHouse } from '../test-house.contract.ts';
import { findFault } from './find-fault.ts';
import { carryOutIntake, describeIntake, prepareIntake } from './intake.ts';

async function open(mcpServers?: JsonObject): Promise<TestHouse> {
  const house = await openTestHouse();
  onTestFinished(() => house[Symbol.asyncDispose]());
  await mkdir(house.home, { recursive: true });
  await writeFile(join(house.home, 'thimble.jsonc'), JSON.stringify({ mcpServers }));
  return house;
}

const take = (house: TestHouse, servers: JsonObject) =>
  prepareIntake(house, async (_content, secrets) =>
    Object.entries(await sealSection(servers, secrets)).map(([name, value]) => ({
      path: ['mcpServers', name],
      value,
    })),
  );

const entries = async (house: TestHouse) => (await house.config.read()).value['mcpServers'];
const secretNames = async (house: TestHouse) => (await house.secrets()).names();

const NEW = { command: 'new', env: { API_KEY: 'opensesame' } };

describe('what comes from elsewhere', () => {
  it('is worked out without a trace, then written with its secrets and a copy of the file', async () => {
    const house = await open({ mine: { command: 'mine' } });
    const before = await readFile(join(house.home, 'thimble.jsonc'), 'utf8');
    const intake = await take(house, { new: NEW });
    expect(await describeIntake(house, intake)).toEqual([expect.stringContaining('a copy of the file')]);
    expect(await readFile(join(house.home, 'thimble.jsonc'), 'utf8')).toBe(before);
    expect(await secretNames(house)).toEqual([]);
    const backup = await carryOutIntake(house, intake);
    expect(await readFile(backup ?? '', 'utf8')).toBe(before);
    expect(await entries(house)).toMatchObject({ new: { env: { API_KEY: '${secret:new.API_KEY}' } } });
    expect(await secretNames(house)).toEqual(['new.API_KEY']);
  });

  it('takes the place of nothing that somebody else wrote in the meantime', async () => {
    const house = await open({});
    const intake = await take(house, { new: NEW });
    await house.config.edit(() => [{ path: ['mcpServers', 'new'], value: { command: 'theirs' } }]);
    await expect(carryOutIntake(house, intake)).rejects.toMatchObject({
      code: 'FILE_REFUSED',
      message: expect.stringContaining('try again'),
    });
    expect(await entries(house)).toEqual({ new: { command: 'theirs' } });
    expect(await secretNames(house)).toEqual([]);
  });

  it('puts nothing into what somebody else took out in the meantime', async () => {
    const house = await open({ mine: { command: 'mine' }, other: { command: 'other' } });
    const tags = { path: ['mcpServers', 'mine', 'tags'], value: ['work'] };
    const intake = await prepareIntake(house, async () => [tags]);
    await house.config.edit(() => [{ path: ['mcpServers', 'mine'], value: undefined }]);
    await expect(carryOutIntake(house, intake)).rejects.toMatchObject({ code: 'FILE_REFUSED' });
    expect(await entries(house)).toEqual({ other: { command: 'other' } });
  });

  it('is written beside what somebody else wrote in another place in the meantime', async () => {
    const house = await open();
    const intake = await take(house, { new: NEW });
    await house.config.edit(() => [{ path: ['mcpServers', 'other'], value: { command: 'theirs' } }]);
    await carryOutIntake(house, intake);
    expect(await entries(house)).toMatchObject({ new: { command: 'new' }, other: { command: 'theirs' } });
  });

  it('is there already when somebody else took in the same in the meantime', async () => {
    const house = await open({});
    const [first, second] = [await take(house, { new: NEW }), await take(house, { new: NEW })];
    await carryOutIntake(house, first);
    expect(await carryOutIntake(house, second)).toBeUndefined();
    expect(await entries(house)).toEqual({
      new: { command: 'new', env: { API_KEY: '${secret:new.API_KEY}' } },
    });
    expect(await secretNames(house)).toEqual(['new.API_KEY']);
  });

  it.each([
    ['and something is new', { new: NEW }],
    ['and nothing is new', {}],
  ])('is not taken in when what it relies on is changed in the meantime, %s', async (_what, servers) => {
    const house = await open({ mine: { command: 'mine' }, other: { command: 'other' } });
    const intake = { ...(await take(house, servers)), reliesOn: [['mcpServers', 'mine']] };
    await carryOutIntake(house, { ...intake, edits: [] });
    await house.config.edit(() => [{ path: ['mcpServers', 'mine'], value: undefined }]);
    await expect(carryOutIntake(house, intake)).rejects.toMatchObject({
      code: 'FILE_REFUSED',
      message: expect.stringContaining('mcpServers.mine'),
    });
    expect(await entries(house)).toEqual({ other: { command: 'other' } });
    expect(await secretNames(house)).toEqual([]);
  });

  it.each<readonly [string, JsonObject, string]>([
    ['a\u202Eb', { command: 'x' }, 'invisible'],
    ['a', { command: 'thimble', args: ['stdio'] }, 'Thimble itself'],
    ['a', { command: 5 }, 'mcpServers.a.command'],
  ])('is looked at before it is taken in: %j %j', (name, entry, words) => {
    expect(findFault({ name, entry })).toContain(words);
  });
});

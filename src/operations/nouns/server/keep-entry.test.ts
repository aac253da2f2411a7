// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the configuration look like templates
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ConfigEdit, ConfigFile } from '../../../config/config-file.ts';
import type { JsonObject } from '../../../model/json.ts';
import type { House } from '../../house.ts';
import { openTestHouse, type TestHouse } from '../../test-house.contract.ts';
import { SERVER } from './operations.ts';

const plain = { command: 'mine', args: ['--quick'], env: { LEVEL: '1' } };

async function open(mcpServers: JsonObject): Promise<TestHouse> {
  const house = await openTestHouse();
  onTestFinished(() => house[Symbol.asyncDispose]());
  await mkdir(house.home, { recursive: true });
  await writeFile(join(house.home, 'thimble.jsonc'), JSON.stringify({ mcpServers }, undefined, 2));
  return house;
}

/** The same house, where somebody else is a moment quicker. */
function overtaken(house: House, edits: readonly ConfigEdit[]): House {
  let isFirst = true;
  const edit: ConfigFile['edit'] = async (toEdits) => {
    if (isFirst) await house.config.edit(() => edits);
    isFirst = false;
    return house.config.edit(toEdits);
  };
  return { ...house, config: { ...house.config, edit } };
}

function run(house: House, verb: string, args: JsonObject) {
  const operation = SERVER.find((one) => one.verb === verb);
  if (!operation) throw new Error(`there is no ${verb}`);
  return operation.prepare({ untested: true, ...args }).run(house);
}

const entries = async (house: House) => (await house.config.read()).value['mcpServers'];
const at = (member: string, value: ConfigEdit['value']) => [{ path: ['mcpServers', 'mine', member], value }];

describe('what others change while a server is tried', () => {
  it('stays: an edit writes only the members it is about', async () => {
    const house = await open({ mine: plain });
    const other = overtaken(house, [...at('enabled', false), ...at('tags', ['work'])]);
    await run(other, 'edit', { name: 'mine', env: { LEVEL: '2' } });
    expect(await entries(house)).toEqual({
      mine: { ...plain, env: { LEVEL: '2' }, enabled: false, tags: ['work'] },
    });
  });

  it('stays when the server gets another name', async () => {
    const house = await open({ mine: plain });
    await run(overtaken(house, at('enabled', false)), 'edit', { name: 'mine', alias: 'ours', args: [] });
    expect(await entries(house)).toEqual({ ours: { ...plain, args: [], enabled: false } });
  });

  it('stays when the server is replaced', async () => {
    const house = await open({ mine: plain });
    const replaced = { name: 'mine', command: 'other', force: true };
    await run(overtaken(house, at('disabledTools', ['drop'])), 'create', replaced);
    expect(await entries(house)).toMatchObject({ mine: { command: 'other', disabledTools: ['drop'] } });
  });

  it('is not overwritten where both change the same, and what was saved is taken back', async () => {
    const house = await open({ mine: plain });
    const other = overtaken(house, at('args', ['--slow']));
    const wish = { name: 'mine', args: ['--quickest'], env: { API_KEY: 'opensesame' } };
    await expect(run(other, 'edit', wish)).rejects.toMatchObject({
      code: 'FILE_REFUSED',
      message: expect.stringMatching(
        /^mcpServers\.mine\.args in .* somebody else .* look at it and try again/,
      ),
    });
    expect(await entries(house)).toEqual({ mine: { ...plain, args: ['--slow'] } });
    expect(await (await house.secrets()).names()).toEqual([]);
  });

  it('is not brought back when it was taken out', async () => {
    const house = await open({ mine: plain });
    const other = overtaken(house, [{ path: ['mcpServers', 'mine'], value: undefined }]);
    await expect(run(other, 'edit', { name: 'mine', args: [] })).rejects.toMatchObject({
      code: 'NAME_UNKNOWN',
    });
    expect(await entries(house)).toEqual({});
  });

  it('may be the removal of what this removes as well', async () => {
    const house = await open({ mine: plain });
    await run(overtaken(house, at('env', undefined)), 'edit', { name: 'mine', unset: ['env.LEVEL'] });
    expect(await entries(house)).toEqual({ mine: { command: 'mine', args: ['--quick'] } });
  });
});

describe('secrets of an entry', () => {
  it('are all taken back when one of them cannot be saved', async () => {
    const house = await open({});
    const secrets = await house.secrets();
    let saves = 0;
    const save: typeof secrets.save = async (name, value) => {
      if (++saves > 1) throw new Error('the disk is full');
      return secrets.save(name, value);
    };
    const full: House = { ...house, secrets: async () => ({ ...secrets, save }) };
    const wish = {
      name: 'mine',
      command: 'mine',
      env: { API_KEY: 'opensesame', API_TOKEN: 'hunter2hunter2' },
    };
    await expect(run(full, 'create', wish)).rejects.toThrow('the disk is full');
    expect(await secrets.names()).toEqual([]);
    expect(await entries(house)).toEqual({});
  });
});

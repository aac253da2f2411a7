import { describe, expect, it } from 'vitest';
import type { ConfigEdit } from '../../../config/config-file.ts';
import type { JsonValue } from '../../../model/json.ts';
import { toSecretReference } from '../../../store/secrets.ts';
import type { TestHouse } from '../../test-house.contract.ts';
import { openConfigured, prepare } from './test-parts.contract.ts';

/** The same house, in which somebody else edits the file right before or after what is written next. */
function withOther(house: TestHouse, when: 'before' | 'after', theirs: readonly ConfigEdit[]): TestHouse {
  const edit: TestHouse['config']['edit'] = async (toEdits) => {
    if (when === 'before') await house.config.edit(() => theirs);
    const change = await house.config.edit(toEdits);
    if (when === 'after') await house.config.edit(() => theirs);
    return change;
  };
  return { ...house, config: { ...house.config, edit } };
}

const open = (document: JsonValue) => openConfigured(JSON.stringify(document));
const written = async (house: TestHouse) => (await house.config.read()).value;
const secretNames = async (house: TestHouse) => (await house.secrets()).names();

const SERVER = { command: 'x', args: ['--verbose'] };
const REFUSED = { code: 'FILE_REFUSED', message: expect.stringContaining('try again') };

describe('a setting that is changed while somebody else changes', () => {
  it('something beside it in a section that only said true is put beside that', async () => {
    await using house = await open({ builtin: { sharing: true } });
    const theirs = { path: ['builtin', 'sharing'], value: { tags: ['home'] } };
    await prepare('set', { key: 'builtin.sharing.maxFileMb', value: '1' }).run(
      withOther(house, 'before', [theirs]),
    );
    expect(await written(house)).toEqual({ builtin: { sharing: { tags: ['home'], maxFileMb: 1 } } });
  });

  it('the list that its secret is in is refused', async () => {
    await using house = await open({ mcpServers: { a: { command: 'x', args: ['--token', 'old'] } } });
    const theirs = { path: ['mcpServers', 'a', 'args'], value: ['--token', 'old', '--fast'] };
    const set = prepare('set', { key: 'mcpServers.a.args[1]', value: 'heron-lake-7' });
    await expect(set.run(withOther(house, 'before', [theirs]))).rejects.toMatchObject(REFUSED);
    expect(await written(house)).toMatchObject({ mcpServers: { a: { args: theirs.value } } });
    expect(await secretNames(house)).toEqual([]);
  });

  it.each([
    [
      'set',
      { key: 'mcpServers', value: JSON.stringify({ b: { command: 'y', env: { API_KEY: 'wren-5' } } }) },
    ],
    ['unset', { key: 'mcpServers' }],
  ])('a section that is %s as a whole is refused', async (verb, input) => {
    await using house = await open({ mcpServers: { a: SERVER } });
    const theirs = { path: ['mcpServers', 'new'], value: { command: 'new' } };
    const run = prepare(verb, input).run(withOther(house, 'before', [theirs]));
    await expect(run).rejects.toMatchObject(REFUSED);
    expect(await written(house)).toEqual({ mcpServers: { a: SERVER, new: { command: 'new' } } });
    expect(await secretNames(house)).toEqual([]);
  });

  it('the same is done', async () => {
    await using house = await open({ mcpServers: { a: SERVER } });
    const theirs = { path: ['http', 'port'], value: 7_500 };
    await prepare('set', { key: 'http.port', value: '7500' }).run(withOther(house, 'before', [theirs]));
    expect(await written(house)).toMatchObject({ http: { port: 7_500 } });
  });

  it.each(['set', 'unset'])('what refers to its secret keeps that secret, when it is %s', async (verb) => {
    const value = toSecretReference('a.API_KEY');
    await using house = await open({ mcpServers: { a: { ...SERVER, env: { API_KEY: value } } } });
    await (await house.secrets()).save('a.API_KEY', 'wren-5');
    const theirs = { path: ['mcpServers', 'b'], value: { command: 'y', env: { API_KEY: value } } };
    const change = prepare(verb, {
      key: 'mcpServers.a.env',
      ...(verb === 'set' && { value: '{"LEVEL":"info"}' }),
    });
    await change.run(withOther(house, 'after', [theirs]));
    expect(await secretNames(house)).toEqual(['a.API_KEY']);
    await prepare('unset', { key: 'mcpServers.b.env.API_KEY' }).run(house);
    expect(await secretNames(house)).toEqual([]);
  });
});

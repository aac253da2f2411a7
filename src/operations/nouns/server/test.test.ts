import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../model/json.ts';
import type { House } from '../../house.ts';
import { openTestHouse, type TestHouse, toRunning } from '../../test-house.contract.ts';
import { test } from './test.ts';

const ECHO = fileURLToPath(new URL('../../../../test/fixtures/echo-server.mjs', import.meta.url));
const echo = { command: process.execPath, args: [ECHO] };

async function open(mcpServers: JsonObject, given: Partial<House> = {}): Promise<TestHouse> {
  const house = await openTestHouse(given);
  onTestFinished(() => house[Symbol.asyncDispose]());
  await mkdir(house.home, { recursive: true });
  await writeFile(join(house.home, 'thimble.jsonc'), JSON.stringify({ mcpServers }));
  return house;
}

it('says that a server works though what was seen of it cannot be kept', async () => {
  const house = await open({ mine: echo });
  const store = await house.store();
  const save = () => Promise.reject(new Error('the disk is full'));
  const full: House = {
    ...house,
    store: async () => ({ ...store, manifests: { ...store.manifests, save } }),
  };
  expect((await test.prepare({}).run(full)).output).toMatchObject({ passed: 1, failed: 0 });
});

it('leaves nothing at work behind when it cannot go on', async () => {
  const house = await open({ a: echo, b: echo, c: echo, d: echo, e: echo });
  const began: string[] = [];
  const tell = (line: string) => {
    began.push(line);
    if (line === 'trying a') throw new Error('nobody listens');
  };
  await expect(test.prepare({}).run({ ...house, tell })).rejects.toThrow('nobody listens');
  expect(began).toEqual(['trying a', 'trying b', 'trying c', 'trying d']);
  // Each process that was started has a note there until it has ended.
  expect(await readdir(join(house.home, 'groups'))).toEqual([]);
});

it('repeats no secret of a server that runs', async () => {
  const server = toRunning('mine', { says: 'is running with kestrel-99-token' });
  const running: House['running'] = {
    processes: async () => [],
    servers: async () => [server],
    restart: async () => [],
  };
  const house = await open({ mine: { ...echo, env: { API_TOKEN: 'kestrel-99-token' } } }, { running });
  expect((await test.prepare({ name: 'mine' }).run(house)).text).toContain('is running with (hidden)');
});

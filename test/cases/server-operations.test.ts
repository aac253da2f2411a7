/** Every hostile string in every text of every operation on servers: a clear error or a clear answer, no shell, nothing written elsewhere. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { GatewayError } from '../../src/errors/gateway-error.ts';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import { SERVER } from '../../src/operations/nouns/server/operations.ts';
import { toKind } from '../../src/operations/operation.contract.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { openTestHouse } from '../../src/operations/test-house.contract.ts';
import { startRegistry } from '../support/registry-server.ts';
import { readCases } from './shared.ts';

const STRINGS = readCases<{ readonly value: string }>('path_and_id_strings').map(({ value }) => value);
const ECHO = fileURLToPath(new URL('../fixtures/echo-server.mjs', import.meta.url));
const CONFIG = `${JSON.stringify({ mcpServers: { mine: { command: process.execPath, args: [ECHO] } } }, undefined, 2)}\n`;

/** What works, so that one value at a time can be hostile. */
const WORKING: Readonly<Record<string, JsonObject>> = {
  info: { name: 'mine' },
  install: { name: 'com.acme/echo' },
  uninstall: { name: 'mine' },
  search: { query: 'echo' },
  edit: { name: 'mine', env: { A: '1' }, untested: true },
  create: { name: 'new', command: process.execPath, args: [ECHO], untested: true },
  enable: { name: 'mine' },
  disable: { name: 'mine' },
  logs: { name: 'mine' },
};

function toValue(schema: z.ZodType, text: string): JsonValue | undefined {
  switch (toKind(schema)) {
    case 'string':
      return text;
    case 'array':
      return [text];
    case 'record':
      return { [text.slice(0, 100)]: text };
    default:
      return undefined;
  }
}

/** Tries one value; says what file was written, if any. */
async function tryOne({ verb, prepare }: Operation, args: JsonObject, url: string): Promise<void> {
  const where = `${verb} ${JSON.stringify(args).slice(0, 200)}`;
  await using house = await openTestHouse({ env: { THIMBLE_REGISTRY_URL: url }, fetch: globalThis.fetch });
  const root = house.machine.userHome;
  await mkdir(house.home, { recursive: true });
  await mkdir(house.cwd, { recursive: true });
  const file = join(house.home, 'thimble.jsonc');
  await writeFile(file, CONFIG);
  try {
    const prepared = prepare(args);
    await prepared.plan(house);
    await prepared.run(house);
  } catch (error) {
    expect(error, where).toBeInstanceOf(GatewayError);
    expect((error as GatewayError).code, where).not.toBe('INTERNAL');
    expect((error as Error).message.length, where).toBeGreaterThan(15);
    expect((error as Error).message.length, where).toBeLessThan(2_000);
    expect(await readFile(file, 'utf8'), where).toBe(CONFIG);
  }
  expect((await readdir(root)).sort(), where).toEqual(['.thimble', 'work']);
  expect(await readdir(house.cwd), where).toEqual([]);
  const known = /^(thimble\.(jsonc|db)(-wal|-shm)?|backups|cache|groups|[\w.-]*key[\w.-]*)$/;
  expect(
    (await readdir(house.home)).filter((name) => !known.test(name)),
    where,
  ).toEqual([]);
  // Whatever was written is a configuration that can be used.
  await house.config.read();
}

describe.each(SERVER.map((operation) => [operation.verb, operation] as const))(
  'server %s',
  (verb, operation) => {
    it('takes every hostile string in every text for what it is', { timeout: 900_000 }, async () => {
      await using registry = await startRegistry([
        { name: 'com.acme/echo', version: '1.0.0', description: '' },
      ]);
      const { input } = operation;
      for (const [name, schema] of Object.entries(input.shape)) {
        for (const text of STRINGS) {
          const value = toValue(schema as z.ZodType, text);
          if (value !== undefined) await tryOne(operation, { ...WORKING[verb], [name]: value }, registry.url);
        }
      }
    });
  },
);

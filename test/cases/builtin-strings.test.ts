/** Every naughty string through every text and id of every built-in: kept as it is, or refused for a reason. */
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BUILTINS, type BuiltinEntry } from '../../src/builtin/registry.ts';
import { openTestClient, type TestClient } from '../../src/builtin/test-client.contract.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/model/json.ts';
import { createMemoryStore } from '../../src/store/memory-store.ts';
import { readCases } from './shared.ts';

const SUITES =
  process.env['SUITES_DIR'] ?? fileURLToPath(new URL('../../../shared/data/suites', import.meta.url));

/** Few enough that what was stored stands on the first page of a list. */
const AT_ONCE = 8;

interface Tool {
  readonly name: string;
  readonly properties: Readonly<Record<string, JsonObject>>;
  readonly required: readonly string[];
  readonly isReadOnly: boolean;
  /** Adds something each time, so that others have something to work on. */
  readonly isAdding: boolean;
}

async function readStrings(): Promise<readonly string[]> {
  const blns = JSON.parse(await readFile(join(SUITES, 'blns/blns.json'), 'utf8')) as string[];
  const ids = readCases<{ readonly value: string }>('path_and_id_strings').map(({ value }) => value);
  const all = [...new Set([...blns, ...ids])];
  return process.env['CASES_SHORT'] ? all.filter((_, at) => at % 3 === 0) : all;
}

async function openServer(
  entry: BuiltinEntry,
): Promise<{ client: TestClient; tools: readonly Tool[]; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'thimble-strings-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const home = join(folder, 'home');
  await mkdir(home);
  const create = await entry.load();
  const client = await openTestClient(create({ store: createMemoryStore(), home }));
  const { tools } = await client.request('tools/list');
  return { client, folder, tools: (tools as readonly JsonObject[]).map(toTool) };
}

function toTool({ name, inputSchema, annotations }: JsonObject): Tool {
  const schema = inputSchema as { properties?: Record<string, JsonObject>; required?: string[] };
  return {
    name: String(name),
    properties: schema.properties ?? {},
    required: schema.required ?? [],
    isReadOnly: isJsonObject(annotations) && annotations['readOnlyHint'] === true,
    isAdding: isJsonObject(annotations) && annotations['destructiveHint'] === false,
  };
}

/** A value that fits a property well enough to reach the tool. */
function toSample({ type, enum: values, minimum }: JsonObject): JsonValue {
  if (Array.isArray(values)) return values[0] as JsonValue;
  if (type === 'string') return 'sample_0';
  if (type === 'boolean') return true;
  return type === 'integer' || type === 'number' ? Number(minimum ?? 1) : {};
}

const isText = ({ type, enum: values }: JsonObject) => type === 'string' && values === undefined;

/** What a tool needs; keys of new things are new ones. */
function toSamples({ properties, required, isAdding }: Tool, number: number): JsonObject {
  return Object.fromEntries(
    required.map((key) => [
      key,
      isAdding && key.endsWith('_key') ? `sample_${number}` : toSample(properties[key] ?? {}),
    ]),
  );
}

const textsOf = ({ properties }: Tool): readonly string[] =>
  Object.keys(properties).filter((key) => isText(properties[key] ?? {}));

/** What may never be said, whatever was asked. */
const BROKEN = /the gateway failed|sqlite|fts5: |syntax error|cannot be used|\bat .*\.(ts|js):\d/i;

/** Every text anywhere in a value. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) yield* textsIn(inner);
}

/** True when some tool that only reads shows the text again. */
async function isReadBack(client: TestClient, tools: readonly Tool[], text: string): Promise<boolean> {
  for (const tool of tools.filter(({ isReadOnly, required }) => isReadOnly && required.length === 0)) {
    const ids = textsOf(tool).filter((key) => key.endsWith('_id'));
    const most = tool.properties['limit'] ? { limit: 100 } : {};
    for (const args of [most, { ...most, ...Object.fromEntries(ids.map((key) => [key, text])) }]) {
      const { data } = await client.call(tool.name, args);
      for (const found of textsIn(data)) if (found.includes(text)) return true;
    }
  }
  return false;
}

/** Keys are looked up and not kept, bytes are kept as bytes, and the name in an invite is for who accepts it. */
const isKept = (key: string) => !/_(key|base64)$|^display_name$/.test(key);

/** Tries the strings in every text of every tool on a new server; answers with those that were lost. */
async function tryStrings(entry: BuiltinEntry, strings: readonly string[]): Promise<readonly string[]> {
  const { client, tools, folder } = await openServer(entry);
  for (const tool of tools.filter(({ isAdding }) => isAdding))
    await client.call(tool.name, toSamples(tool, 0));
  const tries = strings.flatMap((text) =>
    tools.flatMap((tool) => textsOf(tool).map((key) => ({ text, tool, key }))),
  );
  const lost: string[] = [];
  for (const [at, { text, tool, key }] of tries.entries()) {
    const answer = await client.call(tool.name, { ...toSamples(tool, at + 1), [key]: text });
    const what = `${tool.name}.${key} with ${JSON.stringify(text.slice(0, 60))}: ${answer.text.slice(0, 200)}`;
    if (answer.isError) {
      expect(answer.text, what).not.toMatch(BROKEN);
      expect(answer.text.length, what).toBeGreaterThan(10);
    } else if (!tool.isReadOnly && isKept(key) && !(await isReadBack(client, tools, text))) {
      lost.push(what);
    }
  }
  expect(await readdir(folder)).toEqual(['home']);
  return lost;
}

describe.each(BUILTINS.map((entry) => [entry.name, entry] as const))('naughty strings in %s', (_, entry) => {
  it('are kept as they are or refused for a reason, in every text', { timeout: 900_000 }, async () => {
    const strings = await readStrings();
    for (let at = 0; at < strings.length; at += AT_ONCE)
      expect(await tryStrings(entry, strings.slice(at, at + AT_ONCE))).toEqual([]);
  });

  it('are refused by name where a number is wanted', async () => {
    const { client, tools } = await openServer(entry);
    for (const tool of tools) {
      for (const [key, { type }] of Object.entries(tool.properties)) {
        if (type !== 'integer' && type !== 'number') continue;
        for (const text of await readStrings()) {
          const answer = await client.call(tool.name, { ...toSamples(tool, 0), [key]: text });
          expect(answer).toMatchObject({ isError: true, text: expect.stringContaining(`${key}: `) });
        }
      }
    }
  });
});

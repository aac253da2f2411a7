/** Greetings and prompts in every mode: short, from what the person keeps, and every name in them can be used. */
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'libsql';
import { describe, expect, it } from 'vitest';
import { FALLBACK_INSTRUCTIONS, MAX_INSTRUCTIONS } from '../../src/builtin/memory/context/instructions.ts';
import { openMemory } from '../../src/builtin/memory/context.ts';
import type { Gateway } from '../../src/gateway.ts';
import type { JsonObject } from '../../src/model/json.ts';
import {
  type Conversation,
  converse,
  follow,
  namesInSchema,
  openHome,
  openSettled,
  quotedIn,
  readPrompt,
  useByName,
} from '../support/greeted.ts';
import { createPlace, fixture } from '../support/program.ts';
import { openStdio } from '../support/stdio-client.ts';

const ADDRESSES: Readonly<Record<string, string>> = {
  direct: '/mcp/direct',
  search: '/mcp/search',
  category: '/mcp/category',
  router: '/router/mcp',
  activate: '/mcp/activate',
  noun: '/mcp/noun',
  auto: '/mcp/auto',
};
const SECTIONS = ['identity', 'session_protocol', 'memory_protocol', 'transparency_rules', 'capabilities'];
const desk = { command: process.execPath, args: [fixture('echo-server.mjs'), '--name', 'desk'] };
const bytesOf = (text: string) => Buffer.byteLength(text);

async function change(gateway: Gateway, change: JsonObject): Promise<void> {
  const { say } = await converse(gateway, '/s/memory/mcp');
  expect(await say('update_context_section', change)).toContain('Updated');
}

/** The tools of every server, by their own names, each with its server and schema. */
async function readTools(gateway: Gateway) {
  const tools = new Map<string, { readonly server: string; readonly schema: unknown }>();
  for (const { config } of gateway.upstreams.all) {
    const { request } = await converse(gateway, `/s/${config.id}/mcp`);
    for (const { name, inputSchema } of (await request('tools/list'))['tools'] as JsonObject[])
      tools.set(String(name), { server: config.id, schema: inputSchema });
  }
  return tools;
}

async function findFaults(
  conversation: Conversation,
  text: string,
  tools: Awaited<ReturnType<typeof readTools>>,
  namespace: string,
): Promise<readonly string[]> {
  const { prompts } = await conversation.request('prompts/list');
  const known = new Set([
    ...(prompts as JsonObject[]).map(({ name }) => String(name)),
    ...[...tools.values()].flatMap(({ schema }) => namesInSchema(schema)),
  ]);
  // Names stand in backquotes, or are told by their shape.
  const named = new Set([...quotedIn(text), ...(text.match(/\b[a-z]+(?:_[a-z]+)+\b/g) ?? [])]);
  const faults: string[] = [];
  for (const name of named) {
    const tool = tools.get(name);
    if (!tool && !known.has(name)) faults.push(`${name}: is neither a tool, nor a prompt, nor a parameter`);
    if (!tool) continue;
    const fault = await useByName(conversation, name, { namespace, server: tool.server });
    if (fault !== undefined) faults.push(fault);
  }
  return faults;
}

describe.each(['thimble', 'crow'])('with the namespace %s', (namespace) => {
  const config = { namespace, mcpServers: { desk } };

  it('greetings are short, from stored text, and name what can be called as it is named', async () => {
    await using folder = await openHome();
    await using gateway = await openSettled(config, folder);
    for (const [mode, address] of Object.entries(ADDRESSES)) {
      const conversation = await converse(gateway, address);
      const { instructions } = conversation;
      expect(bytesOf(instructions), mode).toBeLessThanOrEqual(MAX_INSTRUCTIONS);
      expect(bytesOf(instructions), mode).toBeGreaterThan(500);
      expect(instructions).toContain(`[${namespace}: stored`);
      const quoted = quotedIn(instructions);
      expect(quoted.length, mode).toBeGreaterThan(3);
      for (const name of quoted) expect(await follow(conversation, name), mode).toBeUndefined();
      expect(await follow(conversation, 'no_such_tool'), mode).toContain('no_such_tool');
      // The names of any other namespace would be wrong.
      expect(instructions).not.toContain(namespace === 'crow' ? 'thimble_' : 'crow_');
    }
    for (const section_key of SECTIONS) {
      const content = `Mine: ${section_key} is what I wrote.`;
      await change(gateway, { section_key, content });
      for (const address of Object.values(ADDRESSES))
        expect((await converse(gateway, address)).instructions).toContain(content);
      await change(gateway, { section_key, enabled: false });
      for (const address of Object.values(ADDRESSES))
        expect((await converse(gateway, address)).instructions).not.toContain(content);
    }
    // With all five switched off there is nothing to say.
    for (const address of Object.values(ADDRESSES))
      expect((await converse(gateway, address)).instructions).toBe('');
  });

  it('prompts name only tools, parameters and prompts that are there, in every mode', async () => {
    await using folder = await openHome();
    await using gateway = await openSettled(config, folder);
    const tools = await readTools(gateway);
    for (const [mode, address] of Object.entries(ADDRESSES)) {
      const conversation = await converse(gateway, address);
      const { prompts } = await conversation.request('prompts/list');
      const names = (prompts as JsonObject[]).map(({ name }) => String(name));
      expect(names).toEqual(
        expect.arrayContaining(['session-start', `${namespace}-guide`, 'research-guide', 'blog-guide']),
      );
      for (const name of names) {
        const text = await readPrompt(conversation, name);
        expect(await findFaults(conversation, text, tools, namespace), `${name} in ${mode}`).toEqual([]);
      }
    }
  });
});

describe('a greeting', () => {
  const config = { mcpServers: { desk } };

  it('takes the sections of its device in place of the common ones, and on no other device', async () => {
    await using folder = await openHome();
    {
      await using gateway = await openSettled(config, folder);
      const { say } = await converse(gateway, '/s/memory/mcp');
      const override = { section_key: 'identity', section_title: 'Phone', device_id: 'phone' };
      await say('add_context_section', { ...override, content: 'You are on a tiny screen.' });
    }
    for (const device of ['phone', 'laptop'] as const) {
      await using gateway = await openSettled(config, { ...folder, device });
      for (const address of Object.values(ADDRESSES)) {
        const { instructions } = await converse(gateway, address);
        expect(instructions.includes('tiny screen')).toBe(device === 'phone');
        expect(instructions.includes('memory outlives')).toBe(device !== 'phone');
      }
    }
  });

  it("never carries another principal's text, nor does anything else that shows sections", async () => {
    await using folder = await openHome();
    await using gateway = await openSettled(config, folder);
    const { db } = await openMemory({ store: gateway.store, principal: 'eve' });
    await db.updateTable('context_sections').set({ content: 'EVE' }).where('principal', '=', 'eve').execute();
    for (const address of [...Object.values(ADDRESSES), '/s/memory/mcp']) {
      const conversation = await converse(gateway, address);
      const shown = [
        conversation.instructions,
        await readPrompt(conversation, 'session-start'),
        await readPrompt(conversation, 'thimble-guide'),
        JSON.stringify(await conversation.request('resources/read', { uri: 'thimble://context' })),
      ];
      for (const text of shown) expect(text).not.toContain('EVE');
      expect(conversation.instructions).toContain('memory outlives');
    }
  });

  it('is a short fixed text when the sections cannot be read, naming what can be called', async () => {
    await using folder = await openHome();
    {
      await using whole = await openSettled(config, folder);
      expect((await converse(whole, '/mcp/direct')).instructions).not.toBe(FALLBACK_INSTRUCTIONS);
    }
    await damageSections(join(folder.home, 'thimble.db'));
    await using gateway = await openSettled(config, folder);
    const direct = await converse(gateway, ADDRESSES['direct']!);
    expect(direct.instructions).toBe(FALLBACK_INSTRUCTIONS);
    expect(await direct.say('get_context')).toContain('damaged');
    for (const [mode, address] of Object.entries(ADDRESSES)) {
      const conversation = await converse(gateway, address);
      expect(bytesOf(conversation.instructions), mode).toBeLessThanOrEqual(500);
      expect(conversation.instructions).toContain('memory outlives');
      for (const name of quotedIn(conversation.instructions))
        expect(await follow(conversation, name), mode).toBeUndefined();
    }
  });

  it('is that text too when the whole file is no database, and nothing is taken that would be lost', async () => {
    await using folder = await openHome();
    await (await openSettled(config, folder))[Symbol.asyncDispose]();
    await writeFile(join(folder.home, 'thimble.db'), 'nothing of the kind '.repeat(1_000));
    await using gateway = await openSettled(config, folder);
    expect(gateway.store.degraded).toContain('damaged');
    const conversation = await converse(gateway, '/mcp/direct');
    expect(conversation.instructions).toBe(FALLBACK_INSTRUCTIONS);
    // What cannot be kept is not taken.
    expect(await conversation.say('get_context')).toContain('damaged');
  });
});

describe('one server alone', () => {
  it('greets with the context and its own names when it is ours, and with its own words when it is not', async () => {
    await using folder = await openHome();
    await using gateway = await openSettled({ mcpServers: { desk } }, folder);
    const memory = await converse(gateway, '/s/memory/mcp');
    expect(memory.instructions).toContain('`recall_by_context`');
    expect(bytesOf(memory.instructions)).toBeLessThanOrEqual(MAX_INSTRUCTIONS);
    for (const name of quotedIn(memory.instructions)) expect(await follow(memory, name)).toBeUndefined();
    expect((await converse(gateway, '/s/desk/mcp')).instructions).toBe('Instructions of desk');
  });

  it('is told the same by `thimble run memory`, after a change too', async () => {
    await using place = await createPlace({ builtin: true });
    {
      await using client = openStdio(place, 'run', 'memory', '--alone');
      const hello = await client.initialize();
      expect(String(hello['instructions'])).toContain('`recall_by_context`');
      const args = { section_key: 'identity', content: 'You are Bert, and brief.' };
      await client.request('tools/call', { name: 'update_context_section', arguments: args });
    }
    await using client = openStdio(place, 'run', 'memory', '--alone');
    expect(String((await client.initialize())['instructions'])).toContain('You are Bert, and brief.');
  });
});

/** Overwrites the page that holds the context sections; everything else stays as it is. */
async function damageSections(path: string): Promise<void> {
  const database = new Database(path);
  const table = database.prepare("select rootpage from sqlite_schema where name = 'context_sections'");
  const { rootpage } = table.get([]) as { rootpage: number };
  const { page_size } = database.prepare('pragma page_size').get([]) as { page_size: number };
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
  const file = await open(path, 'r+');
  await file.write(Buffer.alloc(page_size, 0xee), 0, page_size, (rootpage - 1) * page_size);
  await file.close();
}

/** Conversations with a gateway in this process, for tests of what its texts say and whether it is true. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGateway, type Gateway } from '../../src/gateway.ts';
import { isJsonObject, type JsonObject } from '../../src/model/json.ts';
import { LOCAL_PRINCIPAL } from '../../src/model/principal.ts';

/** A folder for a home, gone afterwards. */
export async function openHome(): Promise<AsyncDisposable & { readonly home: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'thimble-greeted-'));
  return {
    home: join(folder, 'home'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A gateway that knows all its servers. */
export async function openSettled(
  config: JsonObject,
  options: { readonly home: string; readonly device?: string },
): Promise<Gateway> {
  const gateway = await createGateway(config, { ...options, env: { PATH: process.env['PATH'] } });
  // The catalogue itself waits only for a while.
  await Promise.all(gateway.upstreams.all.map(({ firstContact }) => firstContact));
  return gateway;
}

/** One conversation. */
export interface Conversation {
  /** What the client was told at the start; empty when nothing was. */
  readonly instructions: string;
  request(method: string, params?: JsonObject): Promise<JsonObject>;
  /** Calls a tool and answers its text, or what was thrown instead. */
  say(name: string, args?: JsonObject): Promise<string>;
}

/** Begins a conversation at an address. */
export async function converse(gateway: Gateway, path: string, client = 'greeted'): Promise<Conversation> {
  const session = gateway.sessions.openLegacy({
    endpoint: gateway.sessions.endpointOf(path, undefined),
    principal: LOCAL_PRINCIPAL,
    push() {},
  });
  const signal = new AbortController().signal;
  const request = (method: string, params: JsonObject = {}) =>
    session.request(method, params, { id: 1, signal, client: { notify() {} } });
  const hello = await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: client, version: '1' },
  });
  return {
    instructions: String(hello['instructions'] ?? ''),
    request,
    async say(name, args = {}) {
      try {
        return toText(await request('tools/call', { name, arguments: args }));
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    },
  };
}

function toText(result: JsonObject): string {
  return (result['content'] as JsonObject[]).map(({ text }) => String(text)).join('\n');
}

/** The text of a prompt. */
export async function readPrompt({ request }: Conversation, name: string): Promise<string> {
  const { messages } = await request('prompts/get', { name });
  return (messages as { content: { text: string } }[]).map(({ content }) => content.text).join('\n');
}

/** No tool has it, so a call with it runs nothing: whichever tool is meant says that it is wrong. */
const WRONG = { no_such_parameter: true };
const REACHED = /no_such_parameter|was not run|are wrong/;

/** Every text in backquotes. */
export function quotedIn(text: string): readonly string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, quoted = '']) => quoted);
}

/** How texts name tools, and the calls that a reader makes of it. */
const FORMS: readonly (readonly [
  RegExp,
  (...parts: string[]) => readonly (readonly [string, JsonObject])[],
])[] = [
  [/^(\w+)$/, (tool = '') => [[tool, WRONG]]],
  [/^execute_mcp_tool (\S+)$/, (path = '') => [['execute_mcp_tool', { tool_path: path, arguments: WRONG }]]],
  [/^(\S+) action "(.+)"$/, (tool = '', action = '') => [[tool, { action, params: WRONG }]]],
  [/^(\S+) with action "(.+)"$/, (tool = '', action = '') => [[tool, { action, ...WRONG }]]],
  [
    /^(\S+) \(after (\S+) "(.+)"\)$/,
    (tool = '', activate = '', server = '') => [
      [activate, { server }],
      [tool, WRONG],
    ],
  ],
];

/** Does what a text says; undefined when a tool was reached that way, else what was answered instead. */
export async function follow({ say }: Conversation, quoted: string): Promise<string | undefined> {
  for (const [form, toCalls] of FORMS) {
    const found = form.exec(quoted);
    if (!found) continue;
    let answer = '';
    for (const [tool, args] of toCalls(...found.slice(1))) answer = await say(tool, args);
    return REACHED.test(answer) ? undefined : `${quoted}: ${answer}`;
  }
  return `${quoted}: names no tool in any way a reader knows`;
}

/** Uses a tool that a text names by its own name, in any way the mode has; undefined when one of them works. */
export async function useByName(
  conversation: Conversation,
  name: string,
  { namespace, server }: { readonly namespace: string; readonly server: string },
): Promise<string | undefined> {
  const ways = [
    name,
    `${namespace}_tools action "${name}"`,
    `execute_mcp_tool ${name}`,
    `${name} (after ${namespace}_activate_server "${server}")`,
  ];
  const answers = [];
  for (const way of ways) {
    const answer = await follow(conversation, way);
    if (answer === undefined) return undefined;
    answers.push(answer);
  }
  return answers.join('; ');
}

/** Every name a schema knows: its parameters, and the words their values may have. */
export function namesInSchema(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(namesInSchema);
  if (!isJsonObject(schema)) return typeof schema === 'string' ? [schema] : [];
  return Object.entries(schema).flatMap(([key, value]) => [
    ...(key === 'properties' && isJsonObject(value) ? Object.keys(value) : []),
    ...(key === 'enum' || isJsonObject(value) || Array.isArray(value) ? namesInSchema(value) : []),
  ]);
}

// The scripted agent, one way of working a mode: it knows which tool it wants, and nothing about it but what it was shown.
import { cutSignature, fromGroup, fromSchema, tellsType } from './arguments.mjs';

const LIMITS = [5, 20];

/** How each mode is worked; each gives the call to make, or undefined when the tool was not found. */
export const AGENTS = { direct: plan, search, category, activate, noun };

/** Which agent suits what is shown; the mode that chooses for itself is known by its tools. */
export function toAgent(mode, tools) {
  if (mode !== 'auto') return AGENTS[mode];
  const names = tools.map(({ name }) => name);
  if (names.includes('discover_mcp_tools')) return search;
  return names.includes('thimble_discover') ? category : plan;
}

/** A tool that is shown with its whole schema. */
async function plan({ entry, wanted }, { shown }) {
  const { publicName: name } = entry;
  const { inputSchema } = shown().find((tool) => tool.name === name);
  return { name, arguments: fromSchema(inputSchema, wanted) };
}

async function activate(task, session) {
  const { entry } = task;
  if (!session.shown().some(({ name }) => name === entry.publicName)) {
    const named = session.shown().find(({ name }) => name === 'thimble_activate_server').description;
    if (!names(named, entry.upstream))
      await session.once('status', () => session.ask('thimble_server_status', {}));
    await session.ask('thimble_activate_server', { server: entry.upstream });
    await session.list();
  }
  return plan(task, session);
}

async function noun(task, session) {
  const { entry, wanted } = task;
  const [, name, action] = /^(.*) with action "(.*)"$/.exec(await session.mention(entry)) ?? [];
  if (name === undefined) return plan(task, session);
  // The fault of a wrong call tells the tool's own signature.
  const told = session.fault?.split('\n').findLast((line) => line.includes('('));
  const signature = told && cutSignature(told.slice(told.indexOf('(')));
  if (signature) return { name, arguments: { action, ...fromShown(signature, wanted, session) } };
  const group = session.shown().find((tool) => tool.name === name);
  return { name, arguments: fromGroup(group, action, wanted) };
}

async function search(task, session) {
  const { entry, wanted, text } = task;
  const path = `${entry.upstream}:${entry.name}`;
  const toCall = (args) => ({ name: 'execute_mcp_tool', arguments: { tool_path: path, arguments: args } });
  const find = async (args) => readHits(await session.ask('discover_mcp_tools', args), session.known);
  const questions = [
    ...LIMITS.map((limit) => (limit === 5 ? {} : { limit })),
    { server: entry.upstream, limit: 20 },
  ];
  for (const question of questions) if (!session.known.has(path)) await find({ query: text, ...question });
  if (!session.known.has(path)) return undefined;
  const { signature, complete } = session.known.get(path);
  const enough = complete && (wanted === undefined || tellsType(signature, wanted));
  if (session.attempt === 0 && (enough || session.hasty))
    return toCall(fromShown(signature, wanted, session));
  const answer = () => session.ask('discover_mcp_tools', { query: path, limit: 1, detail: 'schema' });
  return toCall(fromSchema(readSchema(await session.once(`schema ${path}`, answer)), wanted));
}

/** Paths with their signatures, as an answer lists them. */
function readHits(answer, known) {
  const lines = answer.split('\n');
  for (const [at, line] of lines.entries()) {
    const path = /^[^\s(]+:[^(]+(?=\()/.exec(line)?.[0];
    if (!path) continue;
    const complete = !(lines[at + 1] ?? '').includes('ask detail:"schema"');
    known.set(path, { signature: line.slice(path.length), complete });
  }
}

async function category(task, session) {
  const { entry, wanted } = task;
  const tools = session.shown();
  const own = tools.find(({ name }) => name === `thimble_${entry.upstream}`);
  const toCall = (params) =>
    own
      ? { name: own.name, arguments: { action: entry.name, params } }
      : { name: 'thimble_tools', arguments: { action: `${entry.upstream}:${entry.name}`, params } };
  const told = own ? readManifest(own, task, session) : await readFolded(task, session);
  const enough = told?.complete && (wanted === undefined || tellsType(told.signature, wanted));
  if (told && session.attempt === 0 && (enough || session.hasty)) return toCall(told.toArguments());
  const args = { category: entry.upstream, action: entry.name };
  const answer = await session.once(`schema ${entry.publicName}`, () =>
    session.ask('thimble_discover', args),
  );
  return toCall(fromSchema(readSchema(answer), wanted));
}

function readManifest({ description }, { entry, wanted }, { parts }) {
  const told = parts.fromManifest(description).find(({ action }) => action === entry.name);
  if (!told) return undefined;
  // An optional parameter is named without its type: whoever does not ask takes it for text.
  const guessed = wanted === undefined ? {} : { [wanted]: 'text' };
  return {
    signature: told.signature,
    complete: !told.signature.includes('…'),
    toArguments: () => ({ ...parts.toArguments(told), ...guessed }),
  };
}

/** What discovery says of a server that has no tool of its own. */
async function readFolded({ entry, wanted }, session) {
  const { description } = session.shown().find(({ name }) => name === 'thimble_tools');
  if (!names(description, entry.upstream))
    await session.once('categories', () => session.ask('thimble_discover', {}));
  const ask = () => session.ask('thimble_discover', { category: entry.upstream });
  const line = (await session.once(`actions ${entry.upstream}`, ask))
    .split('\n')
    .find((each) => each.startsWith(`${entry.name}(`));
  const signature = line && cutSignature(line.slice(entry.name.length));
  if (!signature) return undefined;
  const complete = !line.includes('[ask for its schema]');
  return { signature, complete, toArguments: () => fromShown(signature, wanted, session) };
}

/** The required parameters of a signature, and the wanted one. */
function fromShown(signature, wanted, { parts }) {
  const args = parts.fromSignature(signature, false);
  if (wanted === undefined) return args;
  const { [wanted]: value } = parts.fromSignature(signature, true);
  return value === undefined ? args : { ...args, [wanted]: value };
}

function readSchema(answer) {
  const start = answer.indexOf('{');
  return start === -1 ? undefined : JSON.parse(answer.slice(start).split('\n')[0]).inputSchema;
}

function names(text, id) {
  return text.split(/[\s,:]+/).some((word) => word.replace(/\.$/, '') === id);
}

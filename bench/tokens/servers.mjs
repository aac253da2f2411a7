// The servers a bench is run over: real ones whose tool lists are kept outside the project, our own, or made up ones.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SHARED } from '../search/sets.mjs';

const FOLDER = process.env.CORPUS_DIR ?? join(SHARED, 'data/corpus');
const readJson = (name) =>
  JSON.parse(readFileSync(new URL(`../../test/fixtures/${name}`, import.meta.url), 'utf8'));

/** Lists of tools by server: the real ones where they are present, else made up ones; `origin` says which. */
export function readServers() {
  if (!existsSync(FOLDER))
    return { origin: 'made up tools (no corpus found; SHARED_DIR says where it is)', servers: makeServers() };
  const servers = new Map();
  for (const file of readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()) {
    const { tools } = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'));
    const id = toId(file.replace(/\.json$/, ''), servers);
    if (tools?.length > 0) servers.set(id, tools);
  }
  const count = [...servers.values()].reduce((sum, tools) => sum + tools.length, 0);
  return { origin: `${count} tools of ${servers.size} real servers`, servers };
}

/** A short name as people give one: what is left without the words every server has, with its maker where that is taken. */
function toId(name, taken) {
  const [maker, own = maker] = name.split('__');
  const words = own.split('-').filter((word) => word !== 'mcp' && word !== 'server');
  const id = words.join('-') || maker;
  return taken.has(id) ? name.replace('__', '-') : id;
}

/** So many tools: whole servers in the given order, the last one cut. */
export function takeTools(servers, count) {
  const offers = {};
  let left = count;
  for (const [id, tools] of servers) {
    if (left <= 0) break;
    offers[id] = { tools: tools.slice(0, left) };
    left -= offers[id].tools.length;
  }
  return offers;
}

/** The 24 tools of a server that manages servers, as an offer. */
export function readManagement() {
  return readJson('management-24.json');
}

/** The five servers of our own, each as it is now or, where there is none yet, as the fixture has it. */
export async function readOwnServers({ BUILTINS }) {
  const { servers: fixture } = readJson('core-tools.json');
  const offers = {};
  const live = [];
  for (const [id, { title, tools }] of Object.entries(fixture)) {
    const builtin = BUILTINS.find(({ name }) => name === id);
    const shown = builtin && (await listLive(builtin));
    if (shown) live.push(id);
    offers[id] = { title, tools, ...shown, core: true };
  }
  return { offers, live };
}

/** Asks a built-in server what it offers; nothing of it needs its store for that. */
async function listLive({ load }) {
  const create = await load();
  const answers = [];
  const transport = {
    start: async () => {},
    send: async (message) => answers.push(message),
    close: async () => {},
  };
  await create({ store: { tables: () => Promise.reject(new Error('there is no store here')) } }).connect(
    transport,
  );
  const ask = async (id, method, params) => {
    transport.onmessage({ jsonrpc: '2.0', id, method, params });
    for (let turn = 0; turn < 100 && answers.length < id; turn++) await new Promise(setImmediate);
    const { result, error } = answers[id - 1] ?? {};
    if (!result) throw new Error(`${method}: ${error?.message ?? 'no answer'}`);
    return result;
  };
  const { serverInfo } = await ask(1, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'bench', version: '1' },
  });
  const { tools } = await ask(2, 'tools/list', {});
  return { title: serverInfo.title, tools };
}

/** A generator of numbers from 0 to 1 that starts anywhere and always goes the same way. */
export function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The same things in an order that follows from the seed. */
export function shuffle(things, seed) {
  const random = createRandom(seed);
  return [...things]
    .map((thing) => [random(), thing])
    .sort(([a], [b]) => a - b)
    .map(([, thing]) => thing);
}

const VERBS = ['create', 'get', 'list', 'update', 'delete', 'search'];
const NOUNS = 'invoice customer ticket branch page comment record report order event file deployment'.split(
  ' ',
);
const PARAMETERS = {
  id: { type: 'string', description: 'Which one, by the identifier a list or a search gave' },
  title: { type: 'string', description: 'What people will see it by, in one line' },
  status: { type: 'string', enum: ['open', 'held', 'done'], description: 'Where it stands' },
  limit: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'How many at most' },
  labels: { type: 'array', items: { type: 'string' }, description: 'Words to find it by' },
  owner: { type: 'string', description: 'Whose it is' },
  since: { type: 'string', format: 'date-time', description: 'Only what happened later' },
  options: {
    type: 'object',
    properties: { notify: { type: 'boolean' }, priority: { type: 'integer', minimum: 1, maximum: 5 } },
    description: 'What else should happen',
  },
};

/** 40 servers with 48 tools each, much like real ones in size. */
function makeServers() {
  const random = createRandom(1);
  const names = Object.keys(PARAMETERS);
  return new Map(
    Array.from({ length: 40 }, (_, server) => [
      `server-${String(server).padStart(2, '0')}`,
      NOUNS.slice(0, 8).flatMap((_, at) =>
        VERBS.map((verb) => makeTool(verb, `${NOUNS[(server + at) % NOUNS.length]}`, server)),
      ),
    ]),
  );

  function makeTool(verb, noun, server) {
    const chosen = names.filter(() => random() < 0.6);
    const required = chosen.slice(0, 1 + Math.floor(random() * 3));
    return {
      name: `${verb}_${noun}`,
      description: `${verb[0].toUpperCase()}${verb.slice(1)} one ${noun} or several in workspace ${server}. What is not given stays as it is, and the answer says what came of it.`,
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(chosen.map((name) => [name, PARAMETERS[name]])),
        required,
      },
    };
  }
}

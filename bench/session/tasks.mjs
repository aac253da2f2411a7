// What the scripted agent is asked to do: a tool each, told by what its own description says first.
import { createRandom, shuffle } from '../tokens/servers.mjs';

/** How many tasks a session has, and of how many servers at most: people do several things in one place. */
export const TASKS = 12;
export const SERVERS = 4;
const TEXT_LIMIT = 200;

/** The tasks of one session over what some servers offer; `nameless` leaves out the words that are in the tool's name. */
export function toTasks(offers, seed, { nameless = false } = {}) {
  const random = createRandom(seed);
  const servers = shuffle(Object.keys(offers), seed).slice(0, SERVERS);
  return Array.from({ length: TASKS }, (_, at) => {
    const server = servers[Math.floor(random() * servers.length)];
    const tools = offers[server].tools;
    const tool = tools[Math.floor(random() * tools.length)];
    const optional = toOptional(tool);
    const wanted = at % 2 === 1 ? optional[Math.floor(random() * optional.length)] : undefined;
    return { server, tool: tool.name, wanted, text: toTaskText(tool, nameless) };
  });
}

function toOptional({ inputSchema }) {
  const required = inputSchema?.required ?? [];
  return Object.keys(inputSchema?.properties ?? {}).filter((name) => !required.includes(name));
}

function toTaskText({ name, description = '' }, nameless) {
  const line = description.replace(/\s+/g, ' ').trim();
  const sentence = (/^.*?[.!?。](?=\s|$)/.exec(line)?.[0] ?? line).slice(0, TEXT_LIMIT);
  const text = sentence === '' ? toWords(name).join(' ') : sentence;
  if (!nameless) return text;
  const named = new Set(toWords(name).map(toRoot));
  const rest = text.split(' ').filter((word) => !toWords(word).some((part) => named.has(toRoot(part))));
  return rest.length > 1 ? rest.join(' ') : text;
}

function toWords(text) {
  return text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

function toRoot(word) {
  return word.slice(0, 5);
}

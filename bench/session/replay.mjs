// Replays one session: the scripted agent works its tasks through a mode, and everything that crosses is billed.
import { findMode, openServers } from '../tokens/open-mode.mjs';
import { toAgent } from './agents.mjs';
import { openConversation } from './conversation.mjs';

const MAX_CALLS = 3;
/** What every tool answers, whatever it was asked. */
export const RESULT = 'row '.repeat(300).trim();
const CLOSING = 'Done. '.repeat(20).trim();

/** Opens servers that check what they are called with, as a real one does. */
export function openChecking(parts, modeName, offers) {
  const mode = findMode(parts, modeName);
  const servers = openServers(parts, offers, { reserved: mode.reserved('thimble') });
  const reached = [];
  servers.upstreams.answer = async ({ upstream, params }) => {
    const entry = servers.catalog.current.locate('tool', upstream, params.name);
    const faults = await servers.argumentCheck.check(entry, params.arguments ?? {});
    reached.push({ upstream, tool: params.name, args: params.arguments ?? {}, valid: faults.length === 0 });
    const said = faults.map(({ path, problem }) => `${path === '' ? '' : `${path}: `}${problem}`).join('; ');
    return faults.length === 0
      ? { content: [{ type: 'text', text: RESULT }] }
      : { content: [{ type: 'text', text: `Invalid arguments for ${params.name}: ${said}` }], isError: true };
  };
  return { ...servers, mode, reached };
}

/** Replays the tasks of one session. */
export async function replay(parts, servers, tasks, { hasty = false } = {}) {
  const exposure = servers.mode.open(servers.createPorts());
  let shown = await exposure.tools(servers.view());
  const conversation = openConversation(shown);
  const work = toAgent(servers.mode.name, shown);
  const answers = new Map();
  const counts = { tasks: tasks.length, firstCall: 0, done: 0, notFound: 0, asks: 0, wrong: 0 };

  const send = async (name, args) => {
    conversation.speak(JSON.stringify({ name, arguments: args }));
    const text = await answerOf(() => exposure.call(name, { name, arguments: args }, servers.view()));
    conversation.hear(text);
    return text;
  };
  const session = {
    parts,
    hasty,
    known: new Map(),
    shown: () => shown,
    mention: (entry) => exposure.mention(entry, servers.view()),
    async ask(name, args) {
      counts.asks += 1;
      return send(name, args);
    },
    /** What was answered before is remembered. */
    async once(key, ask) {
      if (!answers.has(key)) answers.set(key, await ask());
      return answers.get(key);
    },
    async list() {
      shown = await exposure.tools(servers.view());
      conversation.list(shown);
    },
  };

  for (const task of tasks) {
    conversation.hear(task.text);
    await workOff(task);
    conversation.speak(CLOSING);
  }
  return { ...conversation.bill, ...counts };

  async function workOff(task) {
    const entry = servers.view().locate('tool', task.server, task.tool);
    let fault;
    for (let attempt = 0; attempt < MAX_CALLS; attempt++) {
      const call = await work({ ...task, entry }, { ...session, attempt, fault });
      if (!call) {
        counts.notFound += 1;
        return;
      }
      servers.reached.length = 0;
      fault = await send(call.name, call.arguments);
      if (isDone(task, servers.reached[0])) {
        counts.done += 1;
        if (attempt === 0) counts.firstCall += 1;
        return;
      }
      counts.wrong += 1;
    }
  }
}

/** Reached the tool that was wanted, with valid arguments and the wanted one among them. */
function isDone({ server, tool, wanted }, got) {
  if (!got?.valid || got.upstream !== server || got.tool !== tool) return false;
  return wanted === undefined || Object.hasOwn(got.args, wanted);
}

async function answerOf(call) {
  try {
    const { content } = await call();
    return content.map(({ text }) => text ?? '').join('\n');
  } catch (error) {
    return error.message;
  }
}

/** `server test`: tries one server, or all of them, and says what came of it. */
import * as z from 'zod';
import type { House, RunningServer } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { readHide } from '../../secrets/kept-values.ts';
import { toToolNames } from '../../servers/known-manifests.ts';
import { probeUpstream } from '../../servers/probe.ts';
import { type Configured, findConfigured, listConfigured } from '../../servers/server-entries.ts';
import { describeEntry } from '../../shown/describe-entry.ts';
import { count, few } from '../../shown/words.ts';
import { ANY_NAME } from './inputs.ts';
import { remember } from './keep-entry.ts';
import { readStates } from './list.ts';
import { readToolNames } from './tool-names.ts';

const RESULT = z.object({
  name: z.string(),
  ok: z.boolean(),
  /** False when it runs already, so that what is known of it is told and nothing was started. */
  tried: z.boolean(),
  tools: z.array(z.string()).optional(),
  tookMs: z.number().optional(),
  problem: z.string().optional(),
  stderr: z.array(z.string()).optional(),
  /** How it was seen, when it was not started for this. */
  note: z.string().optional(),
});

type Result = z.input<typeof RESULT>;

const AT_ONCE = 4;
const TIMEOUT_MS = 90_000;

/** Tries servers. */
export const test = defineOperation({
  noun: 'server',
  verb: 'test',
  summary: 'try a server, or all, and list its tools',
  input: z.object({ name: ANY_NAME }),
  output: z.object({ results: z.array(RESULT), passed: z.number(), failed: z.number() }),
  effects: 'acts',
  openWorld: true,
  words: ['name'],
  short: 'test',
  examples: [{ name: 'memory' }, {}],
  async plan({ name }, house) {
    const starts = (await toTries(name, house)).filter(
      ({ server, running }) => !running && !server.builtin && server.kind === 'stdio',
    );
    if (starts.length === 0) return undefined;
    return {
      summary: `start ${starts.map(({ server }) => server.name).join(', ')} once`,
      details: starts.flatMap(({ server }) => [
        `${server.name}:`,
        ...describeEntry(server.entry ?? {}, { sealed: false }),
      ]),
    };
  },
  async run({ name }, house) {
    const results = [...(await tryAll(await toTries(name, house), house))];
    results.sort((a, b) => (a.name < b.name ? -1 : 1));
    const passed = results.filter(({ ok }) => ok).length;
    return { results, passed, failed: results.length - passed };
  },
  succeeded: ({ failed }) => failed === 0,
  toText({ results, passed, failed }) {
    if (results.length === 0) return 'There is no server of your own that is switched on; nothing was tried.';
    const lines = results.flatMap(({ name, ok, tried, tools, tookMs, problem, stderr = [], note }) => {
      if (!ok) return [`${name} FAILED: ${problem}`, ...stderr.map((line) => `    ${line}`)];
      if (!tried) return [`${name} ${note}; it was not started again. ${toToolText(tools)}`];
      const list = tools && tools.length > 0 ? `: ${few(tools, 8)}` : '';
      return [`${name} works, ${count(tools?.length ?? 0, 'tool')} (${tookMs} ms)${list}`];
    });
    return results.length > 1 ? [...lines, `${passed} work, ${failed} do not.`].join('\n') : lines.join('\n');
  },
});

function toToolText(tools: readonly string[] | undefined): string {
  if (!tools) return 'Its tools have not been seen yet.';
  return tools.length === 0 ? 'It has no tools.' : `Its tools: ${few(tools, 8)}.`;
}

interface Try {
  readonly server: Configured;
  /** The process that has it running. */
  readonly running: RunningServer | undefined;
}

async function toTries(name: string | undefined, house: House): Promise<readonly Try[]> {
  const content = await house.config.read();
  const servers =
    name === undefined
      ? listConfigured(content).filter(({ builtin, enabled }) => !builtin && enabled)
      : [findConfigured(content, name)];
  const states = await readStates(house);
  return servers.map((server) => {
    const state = states.get(server.id);
    return { server, running: state?.state === 'online' ? state : undefined };
  });
}

/** Tries a few at once; is over only when nothing is being tried any more, whatever went wrong. */
async function tryAll(tries: readonly Try[], house: House): Promise<readonly Result[]> {
  const waiting = [...tries];
  const results: Result[] = [];
  const work = async () => {
    try {
      for (let next = waiting.shift(); next; next = waiting.shift()) results.push(await tryOne(next, house));
    } finally {
      waiting.length = 0;
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: AT_ONCE }, work));
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  return results;
}

async function tryOne({ server, running }: Try, house: House): Promise<Result> {
  const { id, name, upstream } = server;
  if (!upstream)
    return { name, ok: false, tried: false, problem: `is switched off; thimble server enable ${id}` };
  if (running) {
    const tools = await readToolNames(server, house);
    return {
      name,
      ok: true,
      tried: false,
      ...(tools && { tools: [...tools] }),
      note: await toNote(running, house),
    };
  }
  house.tell(`trying ${name}`);
  const seen = await probeUpstream(upstream, house, { timeoutMs: TIMEOUT_MS });
  if (seen.ok && !server.builtin) await remember(upstream, seen.manifest, house);
  if (seen.ok)
    return { name, ok: true, tried: true, tools: [...toToolNames(seen.manifest)], tookMs: seen.tookMs };
  const problem = seen.needsLogin ? `${seen.problem}; run thimble login ${id}` : seen.problem;
  return { name, ok: false, tried: true, problem, stderr: [...seen.stderr] };
}

/** How a server stands that some process has running. */
async function toNote({ says, calls, restarts, lastError }: RunningServer, house: House): Promise<string> {
  const hide = await readHide(house);
  const parts = [
    hide(says || 'is online'),
    `${count(calls, 'call')} so far`,
    restarts > 0 && `${count(restarts, 'restart')}`,
    lastError && `last error: ${hide(lastError.message)}`,
  ];
  return parts.filter(Boolean).join(', ');
}

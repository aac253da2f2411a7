/** `server usage`: how often the tools of servers were used, how long they took and how often they failed. */
import * as z from 'zod';
import { readUsage } from '../../../ledger/usage.ts';
import { defineOperation } from '../../operation.ts';
import { findConfigured } from '../../servers/server-entries.ts';
import { toColumns } from '../../shown/words.ts';
import { ANY_NAME } from './inputs.ts';

const ROW = z.object({
  server: z.string(),
  tool: z.string(),
  calls: z.number(),
  errors: z.number(),
  averageMs: z.number(),
  maxMs: z.number(),
  /** ISO 8601. */
  lastUsed: z.string(),
});

/** Shows usage. */
export const usage = defineOperation({
  noun: 'server',
  verb: 'usage',
  summary: 'calls, errors and times per tool',
  input: z.object({
    name: ANY_NAME,
    days: z.int().min(1).max(400).default(30).describe('how many days back'),
  }),
  output: z.object({
    days: z.number(),
    calls: z.number(),
    errors: z.number(),
    tools: z.array(ROW),
    /** Configured servers that are switched on and were not used at all. */
    unused: z.array(z.string()),
  }),
  effects: 'reads',
  words: ['name'],
  short: 'usage',
  formerly: ['usage_stats'],
  examples: [{}, { name: 'memory', days: 7 }],
  async run({ name, days }, house) {
    const content = await house.config.read();
    const upstream = name === undefined ? undefined : findConfigured(content, name).id;
    const rows = await readUsage(await house.store(), { days, upstream, now: house.now() });
    const tools = rows
      .map(({ upstream: server, tool, calls, errors, totalMs, maxMs, lastUsed }) => ({
        ...{ server, tool, calls, errors, lastUsed },
        averageMs: Math.round(totalMs / Math.max(1, calls)),
        maxMs: Math.round(maxMs),
      }))
      .sort((a, b) => b.calls - a.calls || (`${a.server} ${a.tool}` < `${b.server} ${b.tool}` ? -1 : 1));
    const used = new Set(tools.map(({ server }) => server));
    const on = content.config.upstreams.filter(({ enabled }) => enabled);
    return {
      days,
      calls: tools.reduce((sum, { calls }) => sum + calls, 0),
      errors: tools.reduce((sum, { errors }) => sum + errors, 0),
      tools,
      unused: upstream === undefined ? on.map(({ id }) => id).filter((id) => !used.has(id)) : [],
    };
  },
  toText({ days, calls, errors, tools, unused }) {
    if (tools.length === 0) return `Nothing was used in the last ${days} days.`;
    const rows = tools
      .slice(0, 50)
      .map((row) => [
        `${row.server}:${row.tool}`,
        String(row.calls),
        String(row.errors),
        `${row.averageMs} ms`,
        `${row.maxMs} ms`,
        row.lastUsed.slice(0, 10),
      ]);
    const lines = [
      toColumns([['TOOL', 'CALLS', 'ERRORS', 'AVERAGE', 'LONGEST', 'LAST USED'], ...rows]),
      tools.length > 50 && `and ${tools.length - 50} more`,
      `${calls} calls in ${days} days, ${errors} of them failed.`,
      unused.length > 0 && `Not used: ${unused.join(', ')}.`,
    ];
    return lines.filter(Boolean).join('\n');
  },
});

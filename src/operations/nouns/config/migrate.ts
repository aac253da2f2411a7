/** `config migrate`: moves in from MCPM, a `.mcp.json` or another Thimble file; what is here stays. */
import * as z from 'zod';
import { toReason } from '../../../config/faults.ts';
import { parseConfig } from '../../../config/parse.ts';
import { CONFIG_PARTS } from '../../../gateway.ts';
import type { JsonObject, JsonValue } from '../../../model/json.ts';
import type { House } from '../../house.ts';
import { carryOutIntake } from '../../intake/intake.ts';
import { MERGED, toMergeLines } from '../../intake/merge-by-name.ts';
import { defineOperation } from '../../operation.ts';
import { NEED, toNeedLines } from './references.ts';
import { findSources, type Source } from './sources.ts';
import { describeTaking, findLacking, prepareTaking, type Taken } from './taking.ts';

const INPUT = z.object({
  path: z.string().min(1).max(2_000).optional().describe('file or folder'),
  dryRun: z.boolean().default(false).describe('only show'),
});

const OUTPUT = z.object({
  sources: z.array(z.object({ path: z.string(), kind: z.string() })),
  file: z.string(),
  servers: z.array(MERGED),
  /** Sections that were set. */
  settings: z.array(z.string()),
  /** What was left out of them, and why. */
  leftOut: z.array(z.string()),
  missing: z.array(NEED),
  /** The change, line by line, secrets left out. */
  changes: z.array(z.string()),
  backup: z.string().optional(),
  dryRun: z.boolean(),
});

/** Moves servers in. */
export const migrate = defineOperation({
  noun: 'config',
  verb: 'migrate',
  summary: 'take over from MCPM, .mcp.json or Thimble',
  input: INPUT,
  output: OUTPUT,
  effects: 'acts',
  words: ['path'],
  short: 'migrate',
  formerly: ['migrate_config'],
  examples: [{ dryRun: true }, { path: '.mcp.json' }],
  async plan(input, house) {
    if (input.dryRun) return undefined;
    const { sources, taken } = await prepare(input, house);
    if (taken.lines.length === 0) return undefined;
    return {
      summary: `take over servers from ${sources.map(({ path }) => path).join(' and ')}`,
      details: await describeTaking(house, taken),
    };
  },
  async run(input, house) {
    const { sources, taken, leftOut } = await prepare(input, house);
    const backup = input.dryRun ? undefined : await carryOutIntake(house, taken.intake);
    return {
      sources: sources.map(({ path, kind }) => ({ path, kind })),
      file: taken.intake.file,
      servers: [...taken.merged],
      settings: [...taken.set],
      leftOut: [...leftOut, ...taken.kept.map((key) => `${key}: yours is set differently`)],
      missing: await findLacking(house, taken),
      changes: [...taken.lines],
      ...(backup !== undefined && { backup }),
      dryRun: input.dryRun,
    };
  },
  toText(output) {
    const from = output.sources.map(({ kind, path }) => `${kind} (${path})`).join(', ');
    const head = output.dryRun ? `This would be taken from ${from}:` : `From ${from} into ${output.file}:`;
    return [
      head,
      ...toMergeLines(output.servers),
      ...output.settings.map((key) => `${key}: set`),
      ...output.leftOut.map((line) => `Left out: ${line}`),
      ...(output.dryRun ? output.changes : []),
      ...(output.changes.length === 0 ? ['Nothing is new.'] : []),
      ...toNeedLines(output.missing),
      ...(output.backup === undefined ? [] : [`The file as it was: ${output.backup}`]),
    ].join('\n');
  },
});

async function prepare(
  { path }: z.output<typeof INPUT>,
  house: House,
): Promise<{ sources: readonly Source[]; taken: Taken; leftOut: readonly string[] }> {
  const sources = await findSources(house, path);
  const { settings, leftOut } = pickSettings(sources);
  const servers = sources.flatMap((source) => source.servers);
  return { sources, leftOut, taken: await prepareTaking(house, { servers, settings, force: false }) };
}

/** Sections that this version understands; one of another version is named and left out. */
function pickSettings(sources: readonly Source[]): { settings: JsonObject; leftOut: readonly string[] } {
  const known: [string, JsonValue][] = [];
  const leftOut: string[] = [];
  for (const [key, value] of sources.flatMap(({ settings }) => Object.entries(settings))) {
    try {
      parseConfig(JSON.stringify({ [key]: value }), 'it', CONFIG_PARTS);
      if (value !== undefined) known.push([key, value]);
    } catch (error) {
      leftOut.push(toReason(error).replaceAll(/^it:\d+:\d+ /gm, ''));
    }
  }
  return { settings: Object.fromEntries(known), leftOut };
}

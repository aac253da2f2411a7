/** `config import`: takes in an exported file; what is here stays unless told otherwise. */
import { resolve } from 'node:path';
import * as z from 'zod';
import type { House } from '../../house.ts';
import type { Incoming } from '../../intake/find-fault.ts';
import { carryOutIntake } from '../../intake/intake.ts';
import { MERGED, toMergeLines } from '../../intake/merge-by-name.ts';
import { defineOperation } from '../../operation.ts';
import { readServers, toTagEdits } from '../../profiles/profile-tags.ts';
import { COMPARISON, compareKnown, compareLive, toLockLines } from './lock.ts';
import { type Portable, readPortable } from './portable.ts';
import { NEED, toNeedLines } from './references.ts';
import { describeTaking, findLacking, prepareTaking, type Taken, toEntries } from './taking.ts';

const INPUT = z.object({
  path: z.string().min(1).max(2_000).describe('file or folder'),
  profile: z.string().min(1).max(40).optional().describe('only this profile'),
  force: z.boolean().default(false).describe('overwrite what differs'),
  verify: z.boolean().default(false).describe('start servers once to compare'),
  dryRun: z.boolean().default(false).describe('only show'),
});

const OUTPUT = z.object({
  path: z.string(),
  file: z.string(),
  servers: z.array(MERGED),
  /** Sections that were set, and those that are set here differently and stayed. */
  settings: z.array(z.string()),
  kept: z.array(z.string()),
  /** What the servers refer to and this machine lacks. */
  missing: z.array(NEED),
  lock: z.array(COMPARISON),
  /** The change, line by line, secrets left out. */
  changes: z.array(z.string()),
  backup: z.string().optional(),
  dryRun: z.boolean(),
});

/** Imports. */
export const importConfig = defineOperation({
  noun: 'config',
  verb: 'import',
  summary: 'take in an exported file',
  input: INPUT,
  output: OUTPUT,
  effects: 'acts',
  destructive: true,
  words: ['path'],
  formerly: ['manage_config'],
  examples: [{ path: 'work.json', dryRun: true }],
  async plan(input, house) {
    if (input.dryRun) return undefined;
    const { file, taken, servers } = await prepare(input, house);
    const starts = input.verify ? servers.filter(({ name }) => Object.hasOwn(file.lock ?? {}, name)) : [];
    if (taken.lines.length === 0 && starts.length === 0) return undefined;
    return {
      summary: `import ${resolve(house.cwd, input.path)}`,
      details: [
        ...(await describeTaking(house, taken)),
        ...starts.map(({ name }) => `start ${name} once to compare what it offers`),
      ],
    };
  },
  async run(input, house) {
    const { file, taken } = await prepare(input, house);
    const backup = input.dryRun ? undefined : await carryOutIntake(house, taken.intake);
    const isLive = input.verify && !input.dryRun;
    const lock = isLive ? await compareLive(house, file, toEntries(taken)) : await compareKnown(house, file);
    return {
      path: resolve(house.cwd, input.path),
      file: taken.intake.file,
      servers: [...taken.merged],
      settings: [...taken.set],
      kept: [...taken.kept],
      missing: await findLacking(house, taken),
      lock: [...lock],
      changes: [...taken.lines],
      ...(backup !== undefined && { backup }),
      dryRun: input.dryRun,
    };
  },
  toText: (output) =>
    [
      output.dryRun ? `This would be taken from ${output.path}:` : `From ${output.path} into ${output.file}:`,
      ...toMergeLines(output.servers),
      ...output.settings.map((key) => `${key}: set`),
      ...output.kept.map((key) => `${key}: left as it is here; force overwrites it`),
      ...(output.dryRun ? output.changes : []),
      ...(output.changes.length === 0 ? ['Nothing is new.'] : []),
      ...toLockLines(output.lock),
      ...toNeedLines(output.missing),
      ...(output.backup === undefined ? [] : [`The file as it was: ${output.backup}`]),
    ].join('\n'),
});

async function prepare(
  { path, profile, force }: z.output<typeof INPUT>,
  house: House,
): Promise<{ file: Portable; taken: Taken; servers: readonly Incoming[] }> {
  const file = await readPortable(resolve(house.cwd, path));
  const isProfile = file.format === 'thimble-profile';
  const servers = toIncoming(file, profile);
  const inside = new Set(isProfile ? (file.builtin ?? []) : []);
  const tag = profile ?? file.profile;
  const taken = await prepareTaking(house, {
    servers,
    settings: isProfile || profile !== undefined ? {} : (file.settings ?? {}),
    force,
    more: (content) =>
      toTagEdits(content, readServers(content), ({ name, builtin, enabled, tags }) =>
        builtin && enabled && tag !== undefined && inside.has(name) ? [...tags, tag] : tags,
      ),
  });
  return { file, taken, servers };
}

/** A profile may be given another name here; of a whole configuration, one profile may be picked. */
function toIncoming({ format, servers }: Portable, profile: string | undefined): readonly Incoming[] {
  const all = Object.entries(servers).map(([name, entry]) => ({ name, entry }));
  if (profile === undefined) return all;
  if (format === 'thimble-profile')
    return all.map(({ name, entry }) => ({ name, entry: { ...entry, tags: [profile] } }));
  return all.filter(({ entry: { tags } }) => Array.isArray(tags) && tags.includes(profile));
}

/** What every operation has to keep, whatever it is about. */
import { access, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { JsonObject } from '../model/json.ts';
import type { Operation } from './operation.ts';
import { openTestHouse } from './test-house.contract.ts';

/** What an input may be made of, so that it can be options of a command and flat parameters of a tool. */
const FLAT: ReadonlySet<string> = new Set([
  'string',
  'number',
  'boolean',
  'enum',
  'array',
  'record',
  'literal',
]);

/** Would be made if anything of a hostile value were run. */
const CANARY = join(tmpdir(), 'thimble-was-here');

/** Values nobody should ever be hurt by. */
const HOSTILE: readonly string[] = [
  '',
  '../../etc/passwd',
  `$(touch ${CANARY})`,
  '; rm -rf /',
  '`id`',
  'a\0b',
  '__proto__',
  'constructor',
  '-rf',
  '\u202Egnp.exe',
  'x'.repeat(10_000),
  'con',
  'a/b/c',
  '%00',
  '{"a":1}',
];

/** Runs the suite for the operations of one noun. */
export function runOperationContract(noun: string, operations: readonly Operation[]): void {
  describe(`the operations of ${noun}`, () => {
    it('have verbs of their own and short words for what they do', () => {
      expect(new Set(operations.map(({ verb }) => verb)).size).toBe(operations.length);
      for (const operation of operations) {
        expect(operation.noun).toBe(noun);
        expect(operation.verb).toMatch(/^[a-z][a-z_]*$/);
        expect(operation.summary).toMatch(/^[a-z].{5,90}[^.]$/);
      }
    });

    it('say what they need as flat, described inputs', () => {
      for (const { verb, input, words } of operations) {
        for (const [name, schema] of Object.entries(input.shape)) {
          const where = `${noun} ${verb} ${name}`;
          expect(FLAT, where).toContain(toKind(schema as z.ZodType));
          expect((schema as z.ZodType).description, where).toBeTruthy();
          expect(name, where).toMatch(/^[a-z][a-zA-Z]*$/);
        }
        expect(Object.keys(input.shape)).toEqual(expect.arrayContaining([...words]));
      }
    });

    it('give examples that their own check accepts', () => {
      for (const { verb, examples, prepare } of operations) {
        expect(examples.length, verb).toBeGreaterThan(0);
        for (const example of examples) expect(() => prepare(example)).not.toThrow();
      }
    });

    it('refuse what they do not know, by its name', () => {
      for (const { examples, prepare } of operations) {
        const args = { ...examples[0], surely_unknown: 1 };
        expect(() => prepare(args)).toThrow(/surely_unknown/);
      }
    });

    it('have nothing to agree to where they do not act', async () => {
      for (const { verb, effects, prepare, examples } of operations) {
        if (effects === 'acts') continue;
        await using house = await openTestHouse();
        expect(await prepare(examples[0] ?? {}).plan(house), verb).toBeUndefined();
      }
    });

    it('answer hostile values with a clear error or a clear answer, and touch nothing outside the home', async () => {
      for (const operation of operations) {
        for (const value of HOSTILE) await tryHostile(operation, value);
      }
      await expect(access(CANARY)).rejects.toMatchObject({ code: 'ENOENT' });
    }, 60_000);
  });
}

async function tryHostile({ noun, verb, examples, input, prepare }: Operation, value: string): Promise<void> {
  for (const [name, schema] of Object.entries(input.shape)) {
    await using outside = await openOutside();
    await using house = await openTestHouse(outside.parts);
    const args: JsonObject = { ...examples[0], [name]: toValue(schema as z.ZodType, value) };
    const where = `${noun} ${verb} ${name}=${JSON.stringify(value.slice(0, 40))}`;
    try {
      const prepared = prepare(args);
      // A plan is looked at and never carried out: what acts is tried where a person agreed.
      const plan = await prepared.plan(house);
      if (plan === undefined) await prepared.run(house);
    } catch (error) {
      expect(error, where).toMatchObject({ code: expect.stringMatching(/^[A-Z_]+$/) });
      expect(error, where).not.toMatchObject({ code: 'INTERNAL' });
      expect((error as Error).message.length, where).toBeLessThan(2_000);
    }
    expect(await outside.list(), where).toEqual(outside.before);
  }
}

/** A machine deep enough that `../..` leads to where it can be seen. */
async function openOutside() {
  const root = await mkdtemp(join(tmpdir(), 'thimble-outside-'));
  const user = join(root, 'users', 'somebody');
  const [home, cwd] = [join(user, '.thimble'), join(user, 'work')];
  await mkdir(cwd, { recursive: true });
  async function list(): Promise<readonly string[]> {
    const all = await readdir(root, { recursive: true });
    return all.filter((path) => !join(root, path).startsWith(home)).sort();
  }
  return {
    parts: { home, cwd, machine: { platform: 'linux' as const, userHome: user } },
    before: await list(),
    list,
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

function toValue(schema: z.ZodType, value: string): JsonObject[string] {
  const kind = toKind(schema);
  if (kind === 'array') return [value];
  if (kind === 'record') return { [value.slice(0, 50)]: value };
  return value;
}

/** What a schema is under its defaults and options. */
export function toKind(schema: z.ZodType): string {
  const { def } = schema;
  if (def.type === 'optional' || def.type === 'default' || def.type === 'prefault' || def.type === 'nullable')
    return toKind((def as unknown as { readonly innerType: z.ZodType }).innerType);
  if (def.type === 'pipe') return toKind((def as unknown as { readonly in: z.ZodType }).in);
  return z.safeParse(z.string(), def.type).success ? def.type : 'unknown';
}

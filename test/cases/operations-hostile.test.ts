/** Every operation on every face with wrong names, missing values and hostile strings: a clear error, no shell, nothing written elsewhere. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { ERRORS } from '../../src/errors/table.ts';
import type { JsonObject, JsonValue } from '../../src/model/json.ts';
import { loadOperations, NOUNS } from '../../src/operations/nouns/registry.ts';
import { toKind } from '../../src/operations/operation.contract.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { descendantsOf, eventually } from '../support/program.ts';
import { type RegistryFixture, startRegistry } from '../support/registry-server.ts';
import { type FacedMachine, openFacedMachine, readConfig, type Told } from './faces.ts';
import { readCases } from './shared.ts';

const OPERATIONS = await loadOperations();
const CASES = readCases<{ readonly value: string }>('path_and_id_strings').map(({ value }) => value);

let registry: RegistryFixture;
let machine: FacedMachine;
let strings: readonly string[];
beforeAll(async () => {
  registry = await startRegistry([{ name: 'com.acme/echo', version: '1.0.0', description: '' }]);
  machine = await openFacedMachine(registry.url);
  const canary = join(machine.root, 'canary');
  const shells = [`$(touch ${canary})`, `\`touch ${canary}\``, `x; touch ${canary}; #`, `x\ntouch ${canary}`];
  strings = [...CASES, ...shells, `|touch ${canary}`, `&& touch ${canary} &`, '__proto__', 'constructor'];
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
});

/** What works, so that one value at a time can be hostile; what is long or far away is left out. */
const WORKING: Readonly<Record<string, JsonObject>> = {
  'server install': { name: 'com.acme/echo' },
  'server edit': { name: 'mine', untested: true },
  'server create': { name: 'new', command: 'surely-no-such-program', untested: true },
  'profile create': { name: 'new', servers: ['mine'] },
  'profile edit': { name: 'work' },
  'profile delete': { name: 'work' },
  'profile restart': { name: 'work' },
  'client connect': { name: 'cursor' },
  'client disconnect': { name: 'cursor' },
  'client edit': { name: 'cursor', server: 'lamp' },
  'client config': { name: 'cursor' },
  'share start': { name: 'mine' },
  'share stop': { name: 'mine' },
};

const working = ({ noun, verb, examples }: Operation): JsonObject =>
  WORKING[`${noun} ${verb}`] ??
  Object.fromEntries(
    Object.entries(examples[0] ?? {}).map(([name, value]) => [name, name === 'name' ? 'mine' : value]),
  );

function toHostile(schema: z.ZodType, text: string): JsonValue {
  const kind = toKind(schema);
  if (kind === 'array') return [text];
  if (kind === 'record') return { [text.slice(0, 100) || 'A']: text };
  return text;
}

/** What has to hold whatever was said to whom. */
function expectClear({ is, code, text }: Told, where: string): void {
  expect(text, where).not.toMatch(
    /\n {4}at |node:internal|ERR_[A-Z]|\bE(NOENT|ACCES|ISDIR|INVAL)\b.*syscall/,
  );
  if (code !== undefined) expect(Object.keys(ERRORS), where).toContain(code);
  expect(code, `${where}: ${text}`).not.toBe('INTERNAL');
  if (is !== 'error') return;
  expect(text.length, where).toBeGreaterThan(20);
  expect(text.length, where).toBeLessThan(5_000);
}

/** Files people may have written by what they agreed to: their project, Cursor's file, backups. */
const OWN = /^a(\/b)?$|^a\/b\/(home|user|work)(\/|$)/;

async function expectNothingElsewhere(where: string): Promise<void> {
  const strange = (await machine.files()).filter((name) => !OWN.test(name));
  expect(strange, where).toEqual([]);
}

describe.each(OPERATIONS.map((operation) => [`${operation.noun} ${operation.verb}`, operation] as const))(
  '%s',
  (title, operation) => {
    const inputs = Object.entries(operation.input.shape) as (readonly [string, z.ZodType])[];

    it('takes hostile strings in every input for what they are, over HTTP, MCP and at the command line', {
      timeout: 900_000,
    }, async () => {
      const before = await descendantsOf(process.pid);
      const files = await machine.files();
      for (const [name, schema] of inputs) {
        for (const text of strings) {
          const args = { ...working(operation), [name]: toHostile(schema, text) };
          for (const face of ['http', 'mcp', 'cli'] as const) {
            const where = `${face}: ${title} ${JSON.stringify(args).slice(0, 200)}`;
            expectClear(await machine.faces[face](operation, args), where);
          }
        }
      }
      // Nobody agreed to anything, so that only what is Thimble's own can have changed.
      if (operation.effects !== 'writes') {
        expect(await machine.files()).toEqual(files);
        expect(await readConfig(machine)).toContain('"mine"');
      }
      await expectNothingElsewhere(title);
      await machine.restore();
      await eventually(
        'no process is left',
        async () => (await descendantsOf(process.pid)).length <= before.length,
      );
    });

    it('does no harm either when somebody agreed beforehand', { timeout: 900_000 }, async () => {
      const before = await descendantsOf(process.pid);
      for (const [name, schema] of inputs) {
        for (const text of strings) {
          const args = { ...working(operation), [name]: toHostile(schema, text) };
          const where = `${title} ${JSON.stringify(args).slice(0, 200)}`;
          const told = await machine.faces.agreed(operation, args);
          expectClear(told, where);
          if (title === 'config export' && told.is === 'done') await removeExport(told.text);
          if (told.is === 'error') expect(told, where).toMatchObject({ exit: expect.any(Number) });
          // Whatever was written is a configuration that can be used.
          if (operation.effects !== 'reads') {
            expect(await machine.run('config', 'list', '--json'), where).toMatchObject({ exit: 0 });
            await machine.restore();
          }
        }
      }
      await expectNothingElsewhere(title);
      await clean();
      await eventually(
        'no process is left',
        async () => (await descendantsOf(process.pid)).length <= before.length,
      );
    });

    it('names what is missing, wrong or unknown among its inputs', async () => {
      const required = inputs.filter(([, schema]) => !schema.safeParse(undefined).success);
      for (const [name] of required) {
        const { [name]: _left, ...args } = working(operation);
        // By place, a word that is missing takes those after it along.
        const at = operation.words.indexOf(name);
        const typed = Object.fromEntries(
          Object.entries(args).filter(([word]) => operation.words.indexOf(word) < Math.max(at, 0)),
        );
        for (const [face, given] of [
          ['http', args],
          ['mcp', args],
          ['cli', typed],
        ] as const) {
          const told = await machine.faces[face](operation, given);
          expect(told, `${face} ${title} without ${name}`).toMatchObject({
            is: 'error',
            text: expect.stringMatching(new RegExp(`\\b${name}\\b.* is missing`)),
          });
          expectClear(told, title);
        }
      }
      for (const [name, schema] of inputs) {
        for (const value of [5, true, null, ['x'], { a: 'x' }, [[]], { a: 1 }, Number.MAX_VALUE]) {
          if (schema.safeParse(value).success) continue;
          const args = { ...working(operation), [name]: value };
          for (const face of ['http', 'mcp'] as const) {
            const told = await machine.faces[face](operation, args);
            expect(told, `${face} ${title} ${name}=${JSON.stringify(value)}`).toMatchObject({ is: 'error' });
            expect(told.text).toContain(name);
            expectClear(told, title);
          }
        }
      }
      const unknown = { ...working(operation), surely_unknown: 1 };
      for (const face of ['http', 'mcp'] as const)
        expect((await machine.faces[face](operation, unknown)).text).toContain('surely_unknown');
      const typed = await machine.run(operation.noun, operation.verb, '--surely-unknown');
      expect(typed).toMatchObject({ exit: 2, text: expect.stringContaining('--surely-unknown') });
    });
  },
);

/** Takes away a file that was exported to where somebody agreed, so that it is not taken for one that nobody knew of. */
async function removeExport(answer: string): Promise<void> {
  const { path } = JSON.parse(answer) as { readonly path?: string };
  if (path !== undefined) await rm(path);
}

/** Takes away what exports and projects were agreed to write. */
async function clean(): Promise<void> {
  const { root } = machine;
  await rm(join(root, 'a/b/work'), { recursive: true, force: true });
  await rm(join(root, 'a/b/user'), { recursive: true, force: true });
  for (const dir of ['work', 'user/.cursor']) await mkdir(join(root, 'a/b', dir), { recursive: true });
  await machine.restore();
}

describe('names of operations', () => {
  it('that are wrong are answered with the right ones on every face', { timeout: 900_000 }, async () => {
    for (const { noun, verb } of OPERATIONS) {
      if (NOUNS.find(({ name }) => name === noun)?.single) continue;
      for (const wrong of [`${verb}x`, 'surely_none', '']) {
        expect(await machine.post(`/api/${noun}/${wrong}`, {})).toMatchObject({ is: 'error' });
        const told = await machine.call(`thimble_${noun}`, { action: wrong });
        expect(told).toMatchObject({ is: 'error', text: expect.stringContaining(`${verb}`) });
      }
      if (noun !== 'share')
        expect(await machine.run(noun, `${verb}x`)).toMatchObject({
          exit: 2,
          text: expect.stringContaining(verb),
        });
    }
  });

  it('that are hostile are nothing special', async () => {
    for (const text of strings) {
      const word = encodeURIComponent(text);
      for (const path of [`/api/${word}`, `/api/${word}/list`, `/api/server/${word}`])
        expectClear(await machine.post(path, {}), path);
      for (const [tool, action] of [
        [text, 'list'],
        ['thimble_server', text],
      ] as const) {
        const told = await machine.call(tool, { action });
        expect(told.is, text).toBe('error');
        expectClear(told, text);
      }
      for (const words of [
        [text],
        [text, 'list'],
        ['server', text],
        ['approve', text],
        ['completion', text],
      ]) {
        const told = await machine.run(...words);
        expectClear(told, JSON.stringify(words));
      }
    }
    await expectNothingElsewhere('names');
  });
});

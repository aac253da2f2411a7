import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { defineOperation } from '../../operations/operation.ts';
import { parseWords } from '../parser.ts';
import { toArguments, toCommandLine } from './inputs.ts';
import { toOperationCommand } from './operation-command.ts';

const create = defineOperation({
  noun: 'server',
  verb: 'create',
  summary: 'make something of your own',
  input: z.object({
    name: z.string().describe('what it is called'),
    command: z.string().optional().describe('how it is started'),
    args: z.array(z.string()).optional().describe('its arguments'),
    env: z.record(z.string(), z.string()).optional().describe('its variables'),
    maxQueue: z.number().optional().describe('how many wait'),
    force: z.boolean().default(false).describe('even when it is there'),
    enabled: z.boolean().optional().describe('on or off'),
  }),
  output: z.object({}),
  effects: 'acts',
  words: ['name'],
  short: 'new',
  examples: [{ name: 'files', command: 'npx', args: ['-y', 'a b'] }],
  plan: async () => undefined,
  run: async () => ({}),
  toText: () => '',
});

const read = (...words: string[]) =>
  toArguments(
    create,
    parseWords(toOperationCommand(create), words, () => {}),
  );

describe('the inputs of an operation on a command line', () => {
  it('are words, options, lists, records and what stands after two dashes', () => {
    expect(read('files', '--command', 'npx', '--args', '-y', '--args', 'pkg')).toEqual({
      name: 'files',
      command: 'npx',
      args: ['-y', 'pkg'],
    });
    expect(read('files', '--env', 'A=1', '--env', 'B=x=y', '--max-queue', '5', '--force')).toEqual({
      name: 'files',
      env: { A: '1', B: 'x=y' },
      maxQueue: 5,
      force: true,
    });
    expect(read('files', '--', 'npx', '-y', '--help')).toEqual({
      name: 'files',
      command: 'npx',
      args: ['-y', '--help'],
    });
  });

  it('are refused by name when they cannot be what they should be', () => {
    expect(() => read('files', '--env', 'novalue')).toThrow('--env takes NAME=value');
    expect(() => read('files', '--max-queue', 'many')).toThrow('--max-queue takes a number');
    expect(() => read('files', '--comand', 'x')).toThrow('did you mean "--command"');
    expect(() => read()).toThrow('<name> is missing');
  });

  it('are not repeated where they may be a secret that lacks its name', () => {
    expect(() => read('files', '--env', 'ghp_planted0000')).not.toThrow(/planted/);
  });

  it('can be switched off where neither on nor off is the rule', () => {
    expect(read('files', '--no-enabled')).toEqual({ name: 'files', enabled: false });
    expect(read('files', '--enabled')).toEqual({ name: 'files', enabled: true });
    expect(read('files')).toEqual({ name: 'files' });
    expect(toCommandLine(create, { name: 'files', enabled: false })).toBe('thimble new files --no-enabled');
    expect(() => read('files', '--no-force')).toThrow('there is no option');
  });

  it('make command lines that a shell reads back as they were', () => {
    expect(
      toCommandLine(create, { name: 'files', args: ['-y', "it's"], force: true, env: { A: '1 2' } }),
    ).toBe(`thimble new files --args -y --args 'it'\\''s' --force --env 'A=1 2'`);
  });

  it('may be two dashes, which a command line would end its options with unless they are tied to one', () => {
    expect(read('files', '--args=--', '--args', '-y')).toEqual({ name: 'files', args: ['--', '-y'] });
    expect(toCommandLine(create, { name: 'files', args: ['--'] })).toBe('thimble new files --args=--');
  });

  it('come back from their own command line, whatever they hold', () => {
    const text = fc.string({ minLength: 1 }).filter((value) => !value.startsWith('-') && value.trim() !== '');
    fc.assert(
      fc.property(text, fc.array(fc.string({ minLength: 1 })), (name, args) => {
        const words = [name, ...args.flatMap((arg) => (arg === '--' ? ['--args=--'] : ['--args', arg]))];
        expect(read(...words)).toEqual({ name, ...(args.length > 0 ? { args } : {}) });
      }),
    );
  });
});

/** The inputs of an operation as words and options of a command, and back. */
import type * as z from 'zod';
import { GatewayError } from '../../errors/gateway-error.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import type { Operation } from '../../operations/operation.ts';
import { toShellWord } from '../../operations/shown/quote.ts';
import type { CommandInput, CommandOption } from '../command.ts';

/** What a value is made of, under its defaults. */
type Shape = 'text' | 'number' | 'switch' | 'list' | 'record';

/** One input. */
interface Input {
  readonly name: string;
  readonly shape: Shape;
  readonly summary: string;
  readonly required: boolean;
  /** True for a switch that leaves things as they are unless it is put on or off. */
  readonly isOpen: boolean;
}

/** The words a command takes by place. */
export function toWords(operation: Operation): readonly string[] {
  return operation.words.map((word) => {
    const { shape, required } = toInput(operation, word);
    const name = shape === 'list' ? `${word}...` : word;
    return required ? `<${name}>` : `[${name}]`;
  });
}

/** The options a command takes: every input that is no word. */
export function toOptions(operation: Operation): readonly CommandOption[] {
  return Object.keys(operation.input.shape)
    .filter((name) => !operation.words.includes(name))
    .flatMap((name) => {
      const input = toInput(operation, name);
      return [toOption(input), ...(input.isOpen ? [toOffOption(input)] : [])];
    });
}

function toOffOption({ name, summary }: Input): CommandOption {
  return { flags: toFlag(name, '--no-'), summary: `${summary}: off` };
}

function toOption({ name, shape, summary }: Input): CommandOption {
  const flag = toFlag(name);
  switch (shape) {
    case 'switch':
      return { flags: flag, summary };
    case 'list':
      return { flags: `${flag} <text>`, summary: `${summary}; may be repeated`, many: true };
    case 'record':
      return { flags: `${flag} <name=value>`, summary: `${summary}; may be repeated`, many: true };
    default:
      return { flags: `${flag} <${shape}>`, summary };
  }
}

/** The inputs a person typed. */
export function toArguments(operation: Operation, { args, options, rest = [] }: CommandInput): JsonObject {
  const given: Record<string, JsonValue> = {};
  operation.words.forEach((word, at) => {
    const isList = toInput(operation, word).shape === 'list';
    const value = isList ? args.slice(at) : args[at];
    if (value !== undefined && value.length > 0) given[word] = value;
  });
  for (const name of Object.keys(operation.input.shape)) {
    const value = options[name];
    if (value !== undefined) given[name] = toValue(toInput(operation, name), value);
  }
  const [command, ...following] = rest;
  // `thimble new files -- npx -y pkg dir`: what stands after the dashes is how the server is started.
  return command === undefined ? given : { ...given, command, args: following };
}

function toValue({ name, shape }: Input, value: string | boolean | readonly string[]): JsonValue {
  if (shape === 'record' && Array.isArray(value))
    return Object.fromEntries(value.map((one) => toPair(name, one)));
  if (shape === 'number' && typeof value === 'string') return toNumber(name, value);
  return value as JsonValue;
}

function toPair(name: string, text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  // What was given instead may be the value itself, and a secret.
  throw new GatewayError(
    'INVALID_PARAMS',
    `${toFlag(name)} takes NAME=value, and what was given has no name; put one and a = before it`,
  );
}

function toNumber(name: string, text: string): number {
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  throw new GatewayError('INVALID_PARAMS', `${toFlag(name)} takes a number, not "${text.slice(0, 100)}"`);
}

/** A command line that asks for the same; values that hold blanks are quoted. */
export function toCommandLine(operation: Operation, args: JsonObject): string {
  const words = operation.words.flatMap((word) => toTexts(args[word]).map(toShellWord));
  const options = Object.entries(args)
    .filter(([name]) => !operation.words.includes(name))
    .flatMap(([name, value]) => {
      if (value === false) return toInput(operation, name).isOpen ? [toFlag(name, '--no-')] : [];
      if (value === true) return [toFlag(name)];
      // Two dashes by themselves would end the options.
      return toTexts(value).flatMap((text) =>
        text === '--' ? [`${toFlag(name)}=--`] : [toFlag(name), toShellWord(text)],
      );
    });
  const verb = operation.short === undefined ? [operation.noun, operation.verb] : [operation.short];
  return ['thimble', ...verb, ...words, ...options].join(' ');
}

function toTexts(value: JsonValue | undefined): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map(String);
  if (typeof value === 'object')
    return Object.entries(value).map(([key, member]) => `${key}=${String(member)}`);
  return [String(value)];
}

function toFlag(name: string, dashes: '--' | '--no-' = '--'): string {
  return `${dashes}${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function toInput({ input }: Operation, name: string): Input {
  const schema = input.shape[name] as z.ZodType;
  const shape = toShape(schema);
  const unsaid = schema.safeParse(undefined);
  return {
    name,
    shape,
    summary: schema.description ?? '',
    required: !unsaid.success,
    isOpen: shape === 'switch' && unsaid.success && unsaid.data === undefined,
  };
}

function toShape(schema: z.ZodType): Shape {
  const { def } = schema as unknown as {
    readonly def: { type: string; innerType?: z.ZodType; in?: z.ZodType };
  };
  if (def.innerType) return toShape(def.innerType);
  if (def.type === 'pipe' && def.in) return toShape(def.in);
  switch (def.type) {
    case 'boolean':
      return 'switch';
    case 'number':
      return 'number';
    case 'array':
      return 'list';
    case 'record':
      return 'record';
    default:
      return 'text';
  }
}

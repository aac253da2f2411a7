/** Reads the arguments of a call, or says everything that is wrong with them, each fault with its path. */
import type * as z from 'zod';
import { GatewayError } from '../errors/gateway-error.ts';
import { didYouMean } from '../lib/nearest.ts';
import { type JsonObject, type JsonValue, valueAt } from '../model/json.ts';

/** One thing that is wrong. */
interface Fault {
  readonly path: string;
  readonly problem: string;
}

const MAX_FAULTS = 8;

/** Reads arguments; wrong ones throw INVALID_PARAMS. */
export type InputParser<Input extends z.ZodObject> = (args: JsonObject) => z.output<Input>;

/** Creates the parser of a tool, for which unknown names are faults too. */
export function createInputParser<Input extends z.ZodObject>(tool: string, input: Input): InputParser<Input> {
  // Made once: zod compiles a schema when it is first used, which takes longer than most calls.
  const schema = input.strict();
  const known = Object.keys(input.shape);
  return (args) => {
    const unstorable = findUnstorable(args, '');
    if (unstorable) throw toInputError(tool, [unstorable]);
    const parsed = schema.safeParse(args);
    if (parsed.success) return parsed.data as z.output<Input>;
    throw toInputError(
      tool,
      parsed.error.issues.flatMap((issue) => toFaults(issue, args, known)),
    );
  };
}

function toInputError(tool: string, faults: readonly Fault[]): GatewayError {
  const shown = faults.slice(0, MAX_FAULTS).map(({ path, problem }) => `${path}: ${problem}`);
  const more = faults.length > MAX_FAULTS ? ` (and ${faults.length - MAX_FAULTS} more)` : '';
  return new GatewayError('INVALID_PARAMS', `${tool} was not run. ${shown.join('; ')}${more}`, {
    data: { faults: faults.slice(0, MAX_FAULTS).map(({ path, problem }) => ({ path, problem })) },
  });
}

/** Text that a database cannot give back as it came. */
function findUnstorable(value: JsonValue | undefined, path: string): Fault | undefined {
  if (typeof value === 'string') return toTextFault(value, path);
  if (typeof value !== 'object' || value === null) return undefined;
  const members: readonly (readonly [string, JsonValue | undefined])[] = Array.isArray(value)
    ? value.map((item: JsonValue, at) => [`${path}[${at}]`, item] as const)
    : Object.entries(value).map(([key, item]) => [path === '' ? key : `${path}.${key}`, item] as const);
  for (const [inner, item] of members) {
    const fault = findUnstorable(item, inner);
    if (fault) return fault;
  }
  return undefined;
}

function toTextFault(text: string, path: string): Fault | undefined {
  if (text.includes('\0'))
    return { path, problem: 'holds a NUL character, which cannot be stored; leave it out' };
  if (/\p{Cs}/u.test(text))
    return { path, problem: 'holds half of a surrogate pair, which is no text; leave it out' };
  return undefined;
}

function toFaults(issue: z.core.$ZodIssue, args: JsonObject, known: readonly string[]): readonly Fault[] {
  const path = toPathText(issue.path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: path === '' ? key : `${path}.${key}`,
      problem: `is not known${path === '' ? didYouMean(key, known) : ''}`,
    }));
  }
  return [{ path: path === '' ? 'arguments' : path, problem: toProblem(issue, valueAt(args, issue.path)) }];
}

function toProblem(issue: z.core.$ZodIssue, value: JsonValue | undefined): string {
  switch (issue.code) {
    case 'invalid_type':
      return value === undefined ? 'is missing' : `has to be ${toTypeName(issue.expected)}`;
    case 'too_big':
      return `has to be at most ${String(issue.maximum)}${toUnit(issue.origin)}`;
    case 'too_small':
      return `has to be at least ${String(issue.minimum)}${toUnit(issue.origin)}`;
    case 'invalid_value':
      if (value === undefined) return 'is missing';
      return `has to be one of ${issue.values.map((allowed) => JSON.stringify(allowed)).join(', ')}${
        typeof value === 'string' ? didYouMean(value, issue.values.map(String)) : ''
      }`;
    default:
      return issue.message;
  }
}

function toTypeName(expected: string): string {
  if (expected === 'int') return 'a whole number';
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`;
}

function toUnit(origin: string): string {
  return origin === 'string' ? ' characters' : origin === 'array' ? ' items' : '';
}

function toPathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (text, part) =>
      typeof part === 'number' ? `${text}[${part}]` : text === '' ? String(part) : `${text}.${String(part)}`,
    '',
  );
}

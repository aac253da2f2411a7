/** Faults of a configuration: found by zod, told to people with file, line, column, path and a way out. */
import type * as z from 'zod';
import { fromUnknown } from '../errors/from-unknown.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { didYouMean } from '../lib/nearest.ts';
import { isJsonObject, type JsonValue, valueAt } from '../model/json.ts';
import type { JsonPath } from './jsonc.ts';

/** One thing that is wrong. */
export interface Fault {
  readonly path: JsonPath;
  readonly problem: string;
}

/** A fault and where in the text it is. */
export interface PlacedFault {
  readonly offset: number;
  /** Empty when the fault is no member's, as in a syntax error. */
  readonly path: string;
  readonly problem: string;
}

/** What is needed to say a zod issue in our words. */
export interface FaultContext {
  /** Where the checked value stands in the document. */
  readonly at: JsonPath;
  readonly schema: z.core.$ZodType;
  readonly value: unknown;
}

/** Says the issues zod found in our words. */
export function toFaults(issues: readonly z.core.$ZodIssue[], context: FaultContext): Fault[] {
  return issues.filter(isLastOfItsKind).flatMap((issue) => {
    const inner = issue.path.filter((key) => typeof key !== 'symbol');
    const path = [...context.at, ...inner];
    if (issue.code === 'unrecognized_keys') {
      const known = keysAt(context.schema, inner);
      return issue.keys.map((key) => unknownKey([...path, key], known));
    }
    return [{ path, problem: toProblem(issue, valueAt(context.value as JsonValue, inner)) }];
  });
}

/** The fault of a key nobody knows. */
export function unknownKey(path: JsonPath, known: Iterable<string>): Fault {
  return { path, problem: `unknown key${didYouMean(String(path.at(-1)), known)}` };
}

/** `expected one of "a", "b" (did you mean "a"?)`; what is accepted but not listed may be meant too. */
export function notOneOf(
  value: unknown,
  valid: readonly string[],
  accepted: Iterable<string> = valid,
): string {
  const list = valid.map((each) => JSON.stringify(each)).join(', ');
  return `expected one of ${list}${typeof value === 'string' ? didYouMean(value, accepted) : ''}`;
}

/** One error that names every fault as `file:line:column path: problem`. */
export function toConfigError(file: string, text: string, faults: readonly PlacedFault[]): GatewayError {
  const placed = [...faults]
    .sort((a, b) => a.offset - b.offset)
    .map((fault) => ({ ...positionOf(text, fault.offset), path: fault.path, problem: fault.problem }));
  return new GatewayError(
    'CONFIG_INVALID',
    `the configuration ${file} cannot be used; correct this and try again:\n${toLines(file, placed)}`,
    { data: { file, faults: placed } },
  );
}

/** What is wrong and nothing else, for whoever says themselves that the configuration cannot be used. */
export function toReason(error: unknown): string {
  const { message, data } = fromUnknown(error);
  if (!isJsonObject(data) || !Array.isArray(data['faults'])) return message;
  return toLines(String(data['file']), data['faults'] as unknown as readonly FaultLine[]);
}

/** A fault as it is told. */
interface FaultLine {
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly problem: string;
}

function toLines(file: string, faults: readonly FaultLine[]): string {
  return faults
    .map(({ line, column, path, problem }) => {
      const what = path === '' ? problem : `${path}: ${problem}`;
      return `${file}:${line}:${column} ${what}`;
    })
    .join('\n');
}

/** `mcpServers["my server"].args[0]`. */
export function toPathText(path: JsonPath): string {
  return path
    .map((key, index) => {
      if (typeof key === 'string' && /^[A-Za-z_$][\w$-]*$/.test(key)) return index === 0 ? key : `.${key}`;
      return `[${JSON.stringify(key)}]`;
    })
    .join('');
}

function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).replace(/^\uFEFF/, '');
  const lineStart = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: before.length - lineStart + 1 };
}

/** A number far out of bounds breaks those of its type too; only our own bound, checked last, is worth telling. */
function isLastOfItsKind(issue: z.core.$ZodIssue, index: number, all: readonly z.core.$ZodIssue[]): boolean {
  const same = (other: z.core.$ZodIssue) =>
    other.code === issue.code && other.path.join('\0') === issue.path.join('\0');
  return !all.slice(index + 1).some(same);
}

function toProblem(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return 'is required';
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${withArticle(issue.expected)}, found ${typeOf(value)}`;
    case 'invalid_value':
      return notOneOf(value, issue.values.map(String));
    case 'too_small':
      if (value === '') return 'expected some text, found none';
      return `expected at least ${issue.minimum}${unitOf(value)}`;
    case 'too_big':
      return `expected at most ${issue.maximum}${unitOf(value)}`;
    case 'invalid_format':
      if (issue.format === 'url') return 'expected an address such as https://example.com/mcp';
  }
  return issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
}

function unitOf(value: unknown): string {
  if (typeof value === 'string') return ' characters';
  return Array.isArray(value) ? ' entries' : '';
}

function withArticle(expected: string): string {
  const name = expected === 'int' ? 'whole number' : expected === 'record' ? 'object' : expected;
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number' && !Number.isFinite(value)) return 'one too large to read';
  if (typeof value === 'number' && !Number.isInteger(value)) return 'a fraction';
  return withArticle(typeof value);
}

function keysAt(schema: z.core.$ZodType, path: JsonPath): string[] {
  let current: z.core.$ZodType | undefined = schema;
  for (const key of path) current = shapeOf(current)?.[String(key)];
  return Object.keys(shapeOf(current) ?? {});
}

interface Definition {
  readonly innerType?: z.core.$ZodType;
  readonly shape?: z.core.$ZodShape;
  readonly options?: readonly z.core.$ZodType[];
}

function shapeOf(schema: z.core.$ZodType | undefined): z.core.$ZodShape | undefined {
  let definition = schema?._zod.def as Definition | undefined;
  while (definition?.innerType) definition = definition.innerType._zod.def as Definition;
  // Of several alternatives the object is the one whose keys can be mistyped.
  return definition?.shape ?? definition?.options?.map(shapeOf).find((shape) => shape !== undefined);
}

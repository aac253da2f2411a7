/** The contract of an operation: one thing a person or an agent can ask for, defined once and served by every face. */
import type * as z from 'zod';
import { createInputParser } from '../builtin/input.ts';
import { toVisible, toVisibleLine } from '../lib/visible.ts';
import type { JsonObject } from '../model/json.ts';
import type { House } from './house.ts';

/**
 * What an operation does to the world: `reads` looks; `writes` changes what is Thimble's own;
 * `acts` starts programs, installs, writes files of other programs, opens doors, or forgets what cannot be had back, and
 * needs a person.
 */
export type Effects = 'reads' | 'writes' | 'acts';

/** What would be done, for a person to agree to; holds no secret. */
export interface Plan {
  /** One line, such as `install the server github`. */
  readonly summary: string;
  /** What will run, be written or opened, line by line. */
  readonly details: readonly string[];
  /** The lines of what changes in files; whoever asks in few words may keep them until they are asked for. */
  readonly diffs?: readonly string[];
}

/** How an operation is written down. */
export type OperationSpec<Input extends z.ZodObject, Output extends z.ZodObject> = SpecOfAll<Input, Output> &
  (SpecOfActing<Input> | SpecOfQuiet);

/** What acts says what a person has to agree to: one without a plan would be done unasked. */
interface SpecOfActing<Input extends z.ZodObject> {
  readonly effects: 'acts';
  /** What a person has to agree to; undefined when this input needs nobody. */
  plan(input: z.output<Input>, house: House): Promise<Plan | undefined>;
}

/** What looks, or changes what is Thimble's own, needs nobody. */
interface SpecOfQuiet {
  readonly effects: Exclude<Effects, 'acts'>;
  readonly plan?: never;
}

interface SpecOfAll<Input extends z.ZodObject, Output extends z.ZodObject> {
  /** The thing it is about, and the tool it is an action of. */
  readonly noun: string;
  readonly verb: string;
  /** A few words: help and tools show it. */
  readonly summary: string;
  /** Flat, so that it can be options and parameters: texts, numbers, booleans, lists of texts, records of texts. */
  readonly input: Input;
  readonly output: Output;
  /** True when it removes or overwrites something that cannot be had back by the same operation. */
  readonly destructive?: true;
  /** True when it talks to the world outside this machine. */
  readonly openWorld?: true;
  /** The inputs that are given by their place on the command line; the last may be a list. */
  readonly words?: readonly (keyof z.input<Input> & string)[];
  /** A command of one word that means the same, as MCPM has it. */
  readonly short?: string;
  /** What tools of older systems called it; understood only in the error that names the new one. */
  readonly formerly?: readonly string[];
  /** Inputs that work; help, docs and tests use them. */
  readonly examples: readonly z.input<Input>[];
  /** Does it; throws a GatewayError that says what is wrong and what to do next. Never asks anybody. */
  run(input: z.output<Input>, house: House): Promise<z.input<Output>>;
  /** The outcome as plain text, for people and models alike; no secret, no colour. */
  toText(output: z.input<Output>): string;
  /** False when what was found is bad news, such as a check that failed; a command then ends with 1. */
  succeeded?(output: z.input<Output>): boolean;
}

/** An operation ready to be served. */
export interface Operation {
  readonly noun: string;
  readonly verb: string;
  readonly summary: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  readonly effects: Effects;
  readonly destructive: boolean;
  readonly openWorld: boolean;
  readonly words: readonly string[];
  readonly short: string | undefined;
  readonly formerly: readonly string[];
  readonly examples: readonly JsonObject[];
  /** Checks the input; wrong ones throw INVALID_PARAMS with every fault by its name. */
  prepare(args: JsonObject): PreparedOperation;
}

/** An operation with an input that was checked. */
export interface PreparedOperation {
  plan(house: House): Promise<Plan | undefined>;
  run(house: House): Promise<Outcome>;
}

/** What came of an operation. */
export interface Outcome {
  readonly output: JsonObject;
  readonly text: string;
  readonly succeeded: boolean;
}

/** Declares an operation. */
export function defineOperation<Input extends z.ZodObject, Output extends z.ZodObject>(
  spec: OperationSpec<Input, Output>,
): Operation {
  const { noun, verb, summary, input, output, effects } = spec;
  const parse = createInputParser(`${noun} ${verb}`, input);
  return {
    noun,
    verb,
    summary,
    input,
    output,
    effects,
    destructive: spec.destructive ?? false,
    openWorld: spec.openWorld ?? false,
    words: spec.words ?? [],
    short: spec.short,
    formerly: spec.formerly ?? [],
    examples: spec.examples as readonly JsonObject[],
    prepare(args) {
      const given = parse(args);
      return {
        plan: async (house) => toVisiblePlan(await spec.plan?.(given, house)),
        async run(house) {
          const result = await spec.run(given, house);
          const succeeded = spec.succeeded?.(result) ?? true;
          return { output: result as JsonObject, text: toVisible(spec.toText(result)), succeeded };
        },
      };
    },
  };
}

/** Names and values of others must not be able to hide or forge a line of what a person agrees to. */
function toVisiblePlan(plan: Plan | undefined): Plan | undefined {
  if (!plan) return undefined;
  const { summary, details, diffs } = plan;
  return {
    summary: toVisibleLine(summary),
    details: details.map(toVisibleLine),
    ...(diffs && { diffs: diffs.map(toVisibleLine) }),
  };
}

/** Everything of a plan but its first line, as it is shown to whoever agrees. */
export function toPlanLines({ details, diffs = [] }: Plan): readonly string[] {
  return [...details, ...diffs];
}

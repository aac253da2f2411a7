/** The contract of a server inside the gateway: tools, resources and prompts as values, without a wire. */
import type * as z from 'zod';
import type { CancelSignal } from '../lib/cancel.ts';
import type { JsonObject } from '../model/json.ts';
import type { Definition } from '../model/mcp.ts';
import type { Cipher } from '../store/cipher.ts';
import type { Store } from '../store/store.ts';
import { createInputParser } from './input.ts';
import { toJsonSchema } from './json-schema.ts';
import type { SharedItems } from './shared-item.ts';

/** What a tool does to the world; only what differs from the protocol's defaults is written down. */
export interface Annotations {
  /** Default false. */
  readonly readOnlyHint?: true;
  /** Default true. */
  readonly destructiveHint?: false;
  /** Default false. */
  readonly idempotentHint?: true;
  /** Default true. */
  readonly openWorldHint?: false;
}

/** Looks and changes nothing. */
export const READS: Annotations = { readOnlyHint: true, openWorldHint: false };
/** Adds something each time, and takes nothing away. */
export const ADDS: Annotations = { destructiveHint: false, openWorldHint: false };
/** Overwrites or removes what was there; doing it twice changes nothing more. */
export const REPLACES: Annotations = { idempotentHint: true, openWorldHint: false };

/** What accompanies one call. */
export interface ToolCall {
  /** Raised when the client gives up or goes away. */
  readonly signal: CancelSignal;
  /** Puts a question of the protocol to the client of this call. */
  ask(method: string, params: JsonObject): Promise<JsonObject>;
  /** Tells the client how far things are, if it wants to know. */
  tell(line: string): void;
}

/** How a tool is written down; `Context` is whatever the tools of one server share. */
export interface ToolSpec<Context, Input extends z.ZodObject, Output extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** Short: every client pays for it in every conversation. */
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly annotations: Annotations;
  /** Does it; throws a GatewayError that says what is wrong and what to do when it cannot. */
  run(input: z.output<Input>, context: Context, call: ToolCall): Promise<z.input<Output>>;
  /** The answer as text for a model; stored text goes through `fence`. */
  toText(output: z.input<Output>): string;
}

/** A tool ready to be listed and called. */
export interface ServedTool<Context> {
  readonly name: string;
  /** The tool as `tools/list` shows it; the same object every time. */
  definition(): Definition;
  /** Checks the arguments and runs it; wrong ones throw INVALID_PARAMS with every fault by its path. */
  call(args: JsonObject, context: Context, call: ToolCall): Promise<JsonObject>;
}

/** A tool made from schemas. */
export interface BuiltinTool<Context> extends ServedTool<Context> {
  readonly annotations: Annotations;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
}

/** Declares a tool. */
export function defineTool<Context, Input extends z.ZodObject, Output extends z.ZodObject>(
  spec: ToolSpec<Context, Input, Output>,
): BuiltinTool<Context> {
  const { name, annotations, input, output } = spec;
  const parse = createInputParser(name, input);
  let definition: Definition | undefined;
  return {
    name,
    annotations,
    input,
    output,
    definition: () => (definition ??= toDefinition(spec)),
    async call(args, context, call) {
      const result = await spec.run(parse(args), context, call);
      return {
        content: [{ type: 'text', text: spec.toText(result) }],
        structuredContent: result as JsonObject,
      };
    },
  };
}

function toDefinition(spec: ToolSpec<never, z.ZodObject, z.ZodObject>): Definition {
  const { name, title, description, input, output, annotations } = spec;
  return {
    name,
    title,
    description,
    inputSchema: toJsonSchema(input, 'input'),
    outputSchema: toJsonSchema(output, 'output'),
    annotations: { ...annotations },
  };
}

/** Something that can be read at a fixed address. */
export interface BuiltinResource<Context> {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  read(context: Context): Promise<string>;
}

/** One argument of a prompt. */
export interface PromptArgument {
  readonly name: string;
  readonly description: string;
  readonly required?: true;
  /** Offered as completions; others are taken as well. */
  readonly values?: readonly string[];
}

/** A text a person can call for. */
export interface BuiltinPrompt<Context> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly arguments?: readonly PromptArgument[];
  get(args: Readonly<Record<string, string>>, context: Context): Promise<string>;
}

/** A whole server. */
export interface Builtin<Context> {
  /** Also the owner of its tables. */
  readonly name: string;
  readonly title: string;
  readonly tools: readonly ServedTool<Context>[];
  readonly resources: readonly BuiltinResource<Context>[];
  readonly prompts: readonly BuiltinPrompt<Context>[];
}

/** What every `create<X>Server` may be given; only the store is needed. */
export interface BuiltinParts {
  readonly store: Pick<Store, 'tables'>;
  /** What a client is told of how to behave, when it opens a conversation. */
  readonly instructions?: (() => Promise<string | undefined>) | undefined;
  /** Whose rows these are; `local` without it. */
  readonly principal?: string | undefined;
  /** The first part of names of our own; `thimble` without it. */
  readonly namespace?: string | undefined;
  /** The device whose own context sections count. */
  readonly device?: string | undefined;
  /** The data directory, for servers that keep files; without one such a server keeps them in a folder of the system's. */
  readonly home?: string | undefined;
  /** The address of the gateway's HTTP server, once it listens; links need it. */
  readonly baseUrl?: (() => string | undefined) | undefined;
  /** Seals what must not be readable at rest; without it the key file of the home does, or a key that ends with the process. */
  readonly cipher?: Cipher | undefined;
  /** What one process has once, however many links are opened: made by the first who asks, disposed of by whoever keeps it. */
  readonly keep?: (<T extends AsyncDisposable>(name: string, create: () => T) => T) | undefined;
  /** Told of what went wrong inside, which clients are not. */
  readonly onFault?: ((error: unknown) => void) | undefined;
  /** What can be shared with others. */
  readonly items?: SharedItems | undefined;
  /** This server's part of the configuration, not yet checked. */
  readonly options?: unknown;
  /** The time of day. */
  readonly now?: (() => Date) | undefined;
}

/** Answers what is asked for under its address; undefined for what it does not have. */
export type BuiltinRoutes = (request: Request) => Promise<Response | undefined>;

/** The first part of names of our own, when nothing else was configured. */
export const DEFAULT_NAMESPACE = 'thimble';

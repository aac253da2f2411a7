/** What `prompts/*` and `completion/complete` answer for a built-in. */
import { GatewayError } from '../errors/gateway-error.ts';
import { didYouMean } from '../lib/nearest.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { BuiltinPrompt } from './builtin.ts';

/** A prompt as `prompts/list` shows it. */
export function toPromptDefinition<Context>(prompt: BuiltinPrompt<Context>): JsonObject {
  const { name, title, description, arguments: args = [] } = prompt;
  return {
    name,
    title,
    description,
    arguments: args.map(({ values: _values, ...shown }) => shown),
  };
}

/** Answers `prompts/get`. */
export async function getPrompt<Context>(
  prompts: readonly BuiltinPrompt<Context>[],
  params: JsonObject,
  open: () => Promise<Context>,
): Promise<JsonObject> {
  const prompt = findPrompt(prompts, params['name']);
  const text = await prompt.get(toArguments(prompt, params['arguments']), await open());
  return {
    description: prompt.description,
    messages: [{ role: 'user', content: { type: 'text', text } }],
  };
}

/** Answers `completion/complete` for arguments whose values are known. */
export function complete<Context>(
  prompts: readonly BuiltinPrompt<Context>[],
  params: JsonObject,
): JsonObject {
  const { ref, argument } = params;
  if (!isJsonObject(ref) || !isJsonObject(argument)) {
    throw new GatewayError('INVALID_PARAMS', 'completion needs "ref" and "argument", both objects');
  }
  const known =
    ref['type'] === 'ref/prompt'
      ? findPrompt(prompts, ref['name']).arguments?.find(({ name }) => name === argument['name'])?.values
      : undefined;
  const begun = String(argument['value'] ?? '').toLowerCase();
  const values = (known ?? []).filter((value) => value.toLowerCase().startsWith(begun));
  return { completion: { values, total: values.length, hasMore: false } };
}

function findPrompt<Context>(
  prompts: readonly BuiltinPrompt<Context>[],
  name: JsonValue | undefined,
): BuiltinPrompt<Context> {
  const prompt = prompts.find((candidate) => candidate.name === name);
  if (prompt) return prompt;
  const hint = didYouMean(
    String(name),
    prompts.map((candidate) => candidate.name),
  );
  throw new GatewayError('PROMPT_NOT_FOUND', `there is no prompt "${String(name)}" here${hint}`);
}

function toArguments<Context>(
  prompt: BuiltinPrompt<Context>,
  given: JsonValue | undefined,
): Readonly<Record<string, string>> {
  const args = given ?? {};
  const known = prompt.arguments ?? [];
  if (!isJsonObject(args))
    throw new GatewayError('INVALID_PARAMS', 'the parameter "arguments" has to be an object');
  for (const [name, value] of Object.entries(args)) {
    if (!known.some((argument) => argument.name === name)) {
      const hint = didYouMean(
        name,
        known.map((argument) => argument.name),
      );
      throw new GatewayError('INVALID_PARAMS', `the prompt ${prompt.name} has no argument "${name}"${hint}`);
    }
    if (typeof value !== 'string')
      throw new GatewayError('INVALID_PARAMS', `the argument "${name}" of ${prompt.name} has to be a string`);
  }
  const missing = known.find(({ name, required }) => required && args[name] === undefined);
  if (missing)
    throw new GatewayError(
      'INVALID_PARAMS',
      `the prompt ${prompt.name} needs the argument "${missing.name}"`,
    );
  return args as Readonly<Record<string, string>>;
}

/** One tool of the server `manage`: the operations of a noun as actions, said in as few tokens as they can be. */
import type { Annotations, ServedTool } from '../builtin/builtin.ts';
import { toJsonSchema } from '../builtin/json-schema.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { didYouMean } from '../lib/nearest.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import type { House } from '../operations/house.ts';
import type { Noun } from '../operations/nouns/registry.ts';
import type { Operation } from '../operations/operation.ts';
import { perform } from '../operations/perform.ts';
import { createElicitation } from './elicitation.ts';

/** What the tools share: a house for the length of one call. */
export type ManageContext = (call: Pick<House, 'tell' | 'signal'>) => House;

/** Makes the tool of a noun; a noun with a single operation has no action to name. */
export function createManageTool(
  noun: Noun,
  operations: readonly Operation[],
  namespace: string,
): ServedTool<ManageContext> {
  const name = `${namespace}_${noun.name}`;
  const only = noun.single ? operations[0] : undefined;
  const annotations = toAnnotations(operations);
  const definition = {
    name,
    description: noun.summary,
    inputSchema: toInputSchema(noun, operations),
    ...(Object.keys(annotations).length > 0 && { annotations: { ...annotations } }),
  };
  return {
    name,
    definition: () => definition,
    async call({ action, ...args }, toHouse, call) {
      const operation = only ?? findAction(name, action, operations);
      const house = toHouse({ tell: call.tell, signal: call.signal });
      const { text } = await perform(operation, args, house, createElicitation(call));
      return { content: [{ type: 'text', text }] };
    },
  };
}

function findAction(tool: string, action: unknown, operations: readonly Operation[]): Operation {
  const found = operations.find(({ verb }) => verb === action);
  if (found) return found;
  const verbs = operations.map(({ verb }) => verb);
  const problem =
    typeof action === 'string'
      ? `"${action.slice(0, 100)}" is no action${didYouMean(action, verbs)}`
      : 'the action is missing';
  throw new GatewayError('INVALID_PARAMS', `${tool}: ${problem}; valid actions: ${verbs.join('|')}`, {
    data: { actions: verbs },
  });
}

/** What holds for every action of a tool holds for the tool. */
export function toAnnotations(operations: readonly Operation[]): Annotations {
  const changes = operations.filter(({ effects }) => effects !== 'reads');
  return {
    ...(changes.length === 0 && { readOnlyHint: true }),
    ...(changes.length > 0 && !changes.some(({ destructive }) => destructive) && { destructiveHint: false }),
    ...(!operations.some(({ openWorld }) => openWorld) && { openWorldHint: false }),
  };
}

/** All parameters of all actions, flat; what each action needs is said when it is asked for wrongly. */
function toInputSchema({ single }: Noun, operations: readonly Operation[]): JsonObject {
  const properties = new Map<string, JsonObject>();
  for (const { input } of operations)
    for (const [name, schema] of Object.entries(propertiesOf(toJsonSchema(input, 'input'))))
      if (!properties.has(name)) properties.set(name, toBrief(schema));
  const verbs = operations.map(({ verb }) => verb);
  if (single) return { type: 'object', properties: Object.fromEntries(properties) };
  return {
    type: 'object',
    properties: { action: { enum: verbs }, ...Object.fromEntries(properties) },
    required: ['action'],
  };
}

function propertiesOf({ properties }: JsonObject): Readonly<Record<string, JsonObject>> {
  return isJsonObject(properties) ? (properties as Readonly<Record<string, JsonObject>>) : {};
}

/** What a model needs to write the value; the rest is checked and told when it is wrong. */
function toBrief(schema: JsonObject): JsonObject {
  const { type, enum: values, items, additionalProperties } = schema;
  if (values !== undefined) return { enum: values };
  if (type === 'array') return { type, items: isJsonObject(items) ? toBrief(items) : {} };
  if (type === 'object' && isJsonObject(additionalProperties)) return { type };
  return type === undefined ? {} : { type };
}

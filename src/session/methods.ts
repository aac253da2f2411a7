/** Every protocol method a client may call, one line each, the same for all modes, eras and transports. */
import type { Catalog } from '../catalog/catalog.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import { sayRenamed } from '../exposure/answers.ts';
import type { CallContext } from '../model/call.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { KINDS } from '../model/kinds.ts';
import type { Kind } from '../model/manifest.ts';
import type { Era } from '../model/mcp.ts';
import { toUnknownMethod } from '../policy/view.ts';
import type { Account } from './account.ts';
import type { Surface } from './surface.ts';

/** One request, ready to be answered. */
export interface MethodCall {
  readonly params: JsonObject;
  readonly context: CallContext;
  readonly surface: Surface;
  /** What is still being learnt; see Catalog. */
  readonly catalog: Pick<Catalog, 'settling' | 'settled'>;
  readonly account: Account;
}

/** A method: the eras that have it, and its answer. */
interface Method {
  readonly eras: readonly Era[];
  run(call: MethodCall): Promise<JsonObject>;
}

const BOTH: readonly Era[] = ['legacy', 'modern'];

/** The table. */
const METHODS: Readonly<Record<string, Method>> = {
  ping: { eras: ['legacy'], run: async () => ({}) },
  'tools/list': { eras: BOTH, run: listTools },
  'tools/call': { eras: BOTH, run: callTool },
  'resources/list': { eras: BOTH, run: (call) => list('resource', call) },
  'resources/templates/list': { eras: BOTH, run: (call) => list('template', call) },
  'resources/read': { eras: BOTH, run: readResource },
  'prompts/list': { eras: BOTH, run: (call) => list('prompt', call) },
  'prompts/get': { eras: BOTH, run: getPrompt },
  'completion/complete': {
    eras: BOTH,
    run: ({ surface, context, params }) => surface.view(context).complete(params),
  },
};

/** Methods of the legacy era that its sessions answer themselves; the modern era has dropped them. */
const LEGACY_ONLY: ReadonlySet<string> = new Set([
  'initialize',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

/** Lists that a modern client may keep for a while. */
export const CACHEABLE: ReadonlySet<string> = new Set([
  ...Object.values(KINDS).map((row) => row.listMethod),
  'resources/read',
  'server/discover',
]);

/** Answers one request; what the table does not have goes to the only server there is, if there is one. */
export function answer(method: string, call: MethodCall): Promise<JsonObject> {
  const known = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (known?.eras.includes(call.context.facts.era)) return known.run(call);
  if (known || LEGACY_ONLY.has(method)) throw toUnknownMethod(method);
  // Whatever else a client says is between it and the one server it sees; without one it is unknown.
  return call.surface.view(call.context).forward(method, call.params);
}

async function listTools({ surface, context, catalog, account }: MethodCall): Promise<JsonObject> {
  await catalog.settled();
  const tools = await surface.exposure.tools(surface.view(context));
  account.listed(context, surface.key, tools);
  return { tools };
}

async function list(kind: Kind, { surface, context, catalog }: MethodCall): Promise<JsonObject> {
  await catalog.settled();
  const entries = surface.view(context).list(kind);
  return { [KINDS[kind].resultKey]: entries.map((entry) => entry.definition) };
}

async function callTool(call: MethodCall): Promise<JsonObject> {
  const { surface, context, params } = call;
  const name = toText(params, 'name');
  if (params['arguments'] !== undefined && !isJsonObject(params['arguments'])) {
    throw new GatewayError('INVALID_PARAMS', 'the parameter "arguments" has to be an object');
  }
  await untilKnown(call, 'tool', name);
  try {
    const result = await surface.exposure.call(name, params, surface.view(context));
    call.account.answered(context, surface.key, name, result);
    return result;
  } catch (error) {
    throw await toRenamed(error, name, surface);
  }
}

/** Says of a tool that is not found what it is called now, where it had a name before. */
async function toRenamed(error: unknown, name: string, surface: Surface): Promise<unknown> {
  if (!(error instanceof GatewayError) || error.code !== 'TOOL_NOT_FOUND') return error;
  const now = await surface.renamed(name);
  if (now === undefined) return error;
  return new GatewayError('TOOL_NOT_FOUND', sayRenamed(name, now));
}

async function getPrompt(call: MethodCall): Promise<JsonObject> {
  const { surface, context, params } = call;
  const name = toText(params, 'name');
  await untilKnown(call, 'prompt', name);
  return surface.view(context).use('prompt', name, params);
}

async function readResource(call: MethodCall): Promise<JsonObject> {
  const { surface, context, params } = call;
  const uri = toText(params, 'uri');
  await untilKnown(call, 'resource', uri);
  return surface.view(context).read(uri, params);
}

/** Right after a start what is asked for may belong to an upstream still being met; what is known never waits. */
async function untilKnown(
  { catalog, surface, context }: MethodCall,
  kind: Kind,
  name: string,
): Promise<void> {
  if (catalog.settling && !surface.view(context).find(kind, name)) await catalog.settled();
}

/** A parameter that has to be text. */
export function toText(params: JsonObject, key: string): string {
  const value = params[key];
  if (typeof value === 'string') return value;
  throw new GatewayError('INVALID_PARAMS', `the parameter "${key}" has to be a string`);
}

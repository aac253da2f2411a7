/** Serves one built-in over any transport, in both eras: the protocol lives here, the tools know nothing of it. */

import { GatewayError } from '../errors/gateway-error.ts';
import { didYouMean } from '../lib/nearest.ts';
import { onceLoaded } from '../lib/once-loaded.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import {
  type Era,
  LATEST_LEGACY_REVISION,
  LEGACY_REVISIONS,
  META,
  MODERN_REVISION,
  metaOf,
} from '../model/mcp.ts';
import { VERSION } from '../model/version.ts';
import { type InboundCall, openPeer } from '../wire/peer.ts';
import type { Builtin, BuiltinParts, ToolCall } from './builtin.ts';
import { DEFAULT_NAMESPACE } from './builtin.ts';
import { toToldError } from './fault.ts';
import { complete, getPrompt, toPromptDefinition } from './prompts.ts';
import { readResource, toResourceDefinition } from './resources.ts';
import { type ServerTransport, toChannel } from './transport-channel.ts';

/** A server that can be hosted, or connected to a transport of an SDK. */
export interface BuiltinServer {
  connect(transport: ServerTransport): Promise<void>;
}

/** What a server needs beside its tools. */
export interface ServerParts<Context> extends Pick<BuiltinParts, 'instructions' | 'namespace' | 'onFault'> {
  /** Opens what the tools share; called when something is first asked for, and again only if it failed. */
  open(): Promise<Context>;
}

/** One request on its way to its method. */
interface Request<Context> {
  readonly builtin: Builtin<Context>;
  readonly parts: ServerParts<Context>;
  readonly params: JsonObject;
  readonly era: Era;
  readonly call: ToolCall;
}

type Method = <Context>(request: Request<Context>) => Promise<JsonObject>;

/** A modern client may keep lists that never change for this long, and what may change not at all. */
const LIST_TTL_MS = 3_600_000;

const METHODS: Readonly<
  Record<string, { readonly eras: readonly Era[]; readonly run: Method; readonly ttlMs?: number }>
> = {
  initialize: { eras: ['legacy'], run: initialize },
  ping: { eras: ['legacy'], run: async () => ({}) },
  'logging/setLevel': { eras: ['legacy'], run: async () => ({}) },
  'server/discover': { eras: ['modern'], run: discover, ttlMs: 0 },
  'tools/list': {
    eras: ['legacy', 'modern'],
    ttlMs: LIST_TTL_MS,
    run: async ({ builtin }) => ({ tools: builtin.tools.map((tool) => tool.definition()) }),
  },
  'tools/call': { eras: ['legacy', 'modern'], run: callTool },
  'resources/list': {
    eras: ['legacy', 'modern'],
    ttlMs: LIST_TTL_MS,
    run: async ({ builtin }) => ({ resources: builtin.resources.map(toResourceDefinition) }),
  },
  'resources/templates/list': {
    eras: ['legacy', 'modern'],
    ttlMs: LIST_TTL_MS,
    run: async () => ({ resourceTemplates: [] }),
  },
  'resources/read': {
    eras: ['legacy', 'modern'],
    ttlMs: 0,
    run: async ({ builtin, params, parts, era }) => readResource(builtin.resources, params, parts.open, era),
  },
  'prompts/list': {
    eras: ['legacy', 'modern'],
    ttlMs: LIST_TTL_MS,
    run: async ({ builtin }) => ({ prompts: builtin.prompts.map(toPromptDefinition) }),
  },
  'prompts/get': {
    eras: ['legacy', 'modern'],
    run: async ({ builtin, params, parts }) => getPrompt(builtin.prompts, params, parts.open),
  },
  'completion/complete': {
    eras: ['legacy', 'modern'],
    run: async ({ builtin, params }) => complete(builtin.prompts, params),
  },
};

/** Creates a server; each link gets one of its own, and they may share a store. */
export function createBuiltinServer<Context>(
  builtin: Builtin<Context>,
  given: ServerParts<Context>,
): BuiltinServer {
  const parts = { ...given, open: onceLoaded(given.open) };
  return {
    async connect(transport) {
      openPeer(toChannel(transport), {
        onRequest: (method, params, inbound) =>
          answer(method, { builtin, parts, params, call: toCall(params, inbound) }).catch(
            (error: unknown) => {
              inbound.signal.throwIfAborted();
              throw toToldError(error, parts.onFault);
            },
          ),
        onNotification() {},
      });
      await transport.start();
    },
  };
}

function toCall(params: JsonObject, { signal, request, notify }: InboundCall): ToolCall {
  const { progressToken } = metaOf(params);
  let progress = 0;
  return {
    signal,
    ask: (method, question) => request(method, question, { signal }),
    tell(message) {
      progress += 1;
      if (progressToken !== undefined) notify('notifications/progress', { progressToken, progress, message });
    },
  };
}

async function answer<Context>(method: string, request: Omit<Request<Context>, 'era'>): Promise<JsonObject> {
  const era = toEra(method, request.params);
  const known = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (!known?.eras.includes(era)) {
    throw new GatewayError('METHOD_NOT_FOUND', `the method "${method}" is not known here`);
  }
  const result = await known.run({ ...request, era });
  if (era === 'legacy') return result;
  return {
    resultType: 'complete',
    ...(known.ttlMs === undefined ? {} : { ttlMs: known.ttlMs, cacheScope: 'private' }),
    ...result,
    _meta: { [META.serverInfo]: toIdentity(request) },
  };
}

/** Modern requests name their revision; everything else is of the era that opened with `initialize`. */
function toEra(method: string, params: JsonObject): Era {
  const revision = metaOf(params)[META.protocolVersion];
  if (revision === undefined && method !== 'server/discover') return 'legacy';
  if (revision === MODERN_REVISION) return 'modern';
  const supported = [MODERN_REVISION, ...LEGACY_REVISIONS];
  throw new GatewayError(
    'UNSUPPORTED_VERSION',
    `revision "${String(revision)}" is not spoken here; use ${MODERN_REVISION}`,
    { data: { supported, requested: revision ?? null } },
  );
}

async function initialize<Context>(request: Request<Context>): Promise<JsonObject> {
  const { protocolVersion: asked } = request.params;
  const isKnown = typeof asked === 'string' && LEGACY_REVISIONS.includes(asked);
  return {
    protocolVersion: isKnown ? asked : LATEST_LEGACY_REVISION,
    ...(await toHello(request)),
    serverInfo: toIdentity(request),
  };
}

async function discover<Context>(request: Request<Context>): Promise<JsonObject> {
  return { supportedVersions: [MODERN_REVISION, ...LEGACY_REVISIONS], ...(await toHello(request)) };
}

async function toHello<Context>({ builtin, parts }: Request<Context>): Promise<JsonObject> {
  const instructions = await parts.instructions?.();
  return {
    capabilities: {
      tools: {},
      ...(builtin.resources.length > 0 ? { resources: {} } : {}),
      ...(builtin.prompts.length > 0 ? { prompts: {}, completions: {} } : {}),
    },
    ...(instructions === undefined ? {} : { instructions }),
  };
}

function toIdentity<Context>({ builtin, parts }: Pick<Request<Context>, 'builtin' | 'parts'>): JsonObject {
  const namespace = parts.namespace ?? DEFAULT_NAMESPACE;
  return { name: `${namespace}-${builtin.name}`, title: builtin.title, version: VERSION };
}

async function callTool<Context>({ builtin, parts, params, call }: Request<Context>): Promise<JsonObject> {
  const { name, arguments: args = {} } = params;
  const tool = builtin.tools.find((candidate) => candidate.name === name);
  if (!tool) {
    const hint = didYouMean(
      String(name),
      builtin.tools.map((candidate) => candidate.name),
    );
    throw new GatewayError('TOOL_NOT_FOUND', `${builtin.name} has no tool "${String(name)}"${hint}`);
  }
  if (!isJsonObject(args)) {
    throw new GatewayError('INVALID_PARAMS', 'the parameter "arguments" has to be an object');
  }
  try {
    return await tool.call(args, await parts.open(), call);
  } catch (error) {
    call.signal.throwIfAborted();
    const { message } = toToldError(error, parts.onFault);
    return { content: [{ type: 'text', text: message }], isError: true };
  }
}

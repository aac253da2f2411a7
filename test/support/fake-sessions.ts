/** Sessions that transports can be tried against: they echo, report progress, ask, hang and listen. */
import { GatewayError } from '../../src/errors/gateway-error.ts';
import type { UpstreamId } from '../../src/model/ids.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { LATEST_LEGACY_REVISION, LEGACY_REVISIONS, META, MODERN_REVISION } from '../../src/model/mcp.ts';
import type { ClientCall, Endpoint, Session, SessionOpening, Sessions } from '../../src/session/session.ts';

/** Fake sessions, and what a test wants to see or do behind their back. */
export interface FakeSessions extends Sessions {
  readonly opened: SessionOpening[];
  readonly aborted: (string | number)[];
  readonly notifications: string[];
  /** Pushes a notification to every legacy session. */
  push(method: string): void;
  /** Sends a notification to every listening modern client. */
  announce(method: string): void;
  /** How many calls and listens run now. */
  readonly held: number;
  /** Resolves once a call of `hang` or a listen runs. */
  running(): Promise<void>;
  /** Lets every hanging call finish. */
  release(): void;
}

const TOOLS = ['echo', 'progress', 'ask', 'hang', 'late', 'bug'].map((name) => ({
  name,
  inputSchema: { type: 'object' },
}));

/** Creates them. */
export function createFakeSessions(): FakeSessions {
  const state = {
    opened: [] as SessionOpening[],
    aborted: [] as (string | number)[],
    notifications: [] as string[],
    listeners: new Set<(method: string) => void>(),
    waiters: [] as (() => void)[],
    releases: new Set<() => void>(),
    live: 0,
    held: 0,
  };

  function hold(call: ClientCall): Promise<void> {
    state.held += 1;
    for (const wake of state.waiters.splice(0)) wake();
    return new Promise((resolve, reject) => {
      const done = (): void => {
        state.held -= 1;
        state.releases.delete(resolveHold);
      };
      const resolveHold = (): void => {
        done();
        resolve();
      };
      state.releases.add(resolveHold);
      call.signal.addEventListener('abort', () => {
        done();
        state.aborted.push(call.id);
        reject(call.signal.reason);
      });
    });
  }

  async function callTool(params: JsonObject, call: ClientCall): Promise<JsonObject> {
    const token = (params['_meta'] as JsonObject | undefined)?.['progressToken'];
    const progress = (n: number) =>
      call.client.notify('notifications/progress', { progressToken: token, progress: n, total: 2 });
    switch (params['name']) {
      case 'echo':
        return toText(JSON.stringify(params['arguments'] ?? null));
      case 'progress':
        progress(1);
        await Promise.resolve();
        progress(2);
        return toText('done');
      case 'ask': {
        const answer = await call.client.ask?.('elicitation/create', {
          message: 'name?',
          requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
        });
        return toText(JSON.stringify(answer?.['content'] ?? null));
      }
      case 'late':
        progress(1);
        await hold(call);
        return toText('late');
      case 'hang':
        await hold(call);
        return toText('released');
      case 'bug':
        throw new TypeError('secret detail');
    }
    throw new GatewayError('TOOL_NOT_FOUND', 'no such tool');
  }

  async function listen(params: JsonObject, call: ClientCall): Promise<JsonObject> {
    const meta = { [META.subscriptionId]: call.id };
    call.client.notify('notifications/subscriptions/acknowledged', {
      _meta: meta,
      notifications: params['notifications'] ?? {},
    });
    const tell = (method: string) => call.client.notify(method, { _meta: meta });
    state.listeners.add(tell);
    try {
      await hold(call);
    } finally {
      state.listeners.delete(tell);
    }
    return { _meta: meta };
  }

  async function answer(method: string, params: JsonObject, call: ClientCall): Promise<JsonObject> {
    if (method === 'ping') return {};
    if (method === 'tools/list') return { tools: TOOLS, ttlMs: 0, cacheScope: 'private' };
    if (method === 'tools/call') return callTool(params, call);
    if (method === 'subscriptions/listen') return listen(params, call);
    if (method === 'server/discover') return toDiscovery();
    throw new GatewayError('METHOD_NOT_FOUND', `${method} is unknown here`);
  }

  function open(modern: boolean): Session {
    state.live += 1;
    return {
      async request(method, params, call) {
        if (!modern && method === 'initialize') return toHello(params);
        const result = await answer(method, params, call);
        return modern ? { resultType: 'complete', ...result } : result;
      },
      notification: (method) => void state.notifications.push(method),
      close: () => {
        state.live -= 1;
      },
    };
  }

  return {
    opened: state.opened,
    aborted: state.aborted,
    notifications: state.notifications,
    get live() {
      return state.live;
    },
    get held() {
      return state.held;
    },
    openLegacy(opening) {
      state.opened.push(opening);
      return open(false);
    },
    openModern: () => open(true),
    endpointOf,
    push(method) {
      for (const opening of state.opened) opening.push(method, {});
    },
    announce(method) {
      for (const tell of state.listeners) tell(method);
    },
    running: () =>
      state.held > 0 ? Promise.resolve() : new Promise((resolve) => state.waiters.push(resolve)),
    release() {
      for (const release of [...state.releases]) release();
    },
  };
}

function endpointOf(path: string, profile: string | undefined): Endpoint {
  const upstream = /^\/s\/([^/]+)\/mcp$/.exec(path)?.[1];
  if (upstream !== undefined) return { kind: 'upstream', upstream: upstream as UpstreamId };
  const mode = path === '/mcp' ? 'auto' : /^\/mcp\/(direct|search)$/.exec(path)?.[1];
  if (mode === undefined)
    throw new GatewayError('ENDPOINT_NOT_FOUND', `${path} names no mode and no upstream`);
  return { kind: 'mode', mode, profile };
}

function toText(text: string): JsonObject {
  return { content: [{ type: 'text', text }] };
}

function toHello(params: JsonObject): JsonObject {
  const wanted = String(params['protocolVersion']);
  if (params['capabilities'] === undefined)
    throw new GatewayError('INVALID_PARAMS', 'initialize lacks capabilities');
  return {
    protocolVersion: LEGACY_REVISIONS.includes(wanted) ? wanted : LATEST_LEGACY_REVISION,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'fake', version: '1' },
  };
}

function toDiscovery(): JsonObject {
  return {
    supportedVersions: [MODERN_REVISION],
    capabilities: { tools: { listChanged: true } },
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { [META.serverInfo]: { name: 'fake', version: '1' } },
  };
}

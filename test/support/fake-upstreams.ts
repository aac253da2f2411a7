/** Upstreams without servers: manifests are set by hand, requests are recorded and echoed. */
import type { CallContext } from '../../src/model/call.ts';
import type { UpstreamId } from '../../src/model/ids.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Manifest } from '../../src/model/manifest.ts';
import type { Definition } from '../../src/model/mcp.ts';
import { toStillStatus } from '../../src/upstream/status.ts';
import type { Upstream, UpstreamConfig, Upstreams } from '../../src/upstream/upstream.ts';

/** What one fake upstream offers; names alone are enough. */
export interface FakeOffer {
  readonly tools?: readonly (string | Definition)[];
  readonly resources?: readonly string[];
  readonly templates?: readonly string[];
  readonly prompts?: readonly string[];
  readonly tags?: readonly string[];
  readonly instructions?: string;
  /** True for a server of the gateway's own. */
  readonly core?: boolean;
  /** True for a server that is rarely needed. */
  readonly aside?: boolean;
  /** Tools of it that are switched off. */
  readonly disabledTools?: readonly string[];
  /** The name people gave it, where it is not its id. */
  readonly title?: string;
}

/** A request that reached a fake upstream. */
export interface SeenRequest {
  readonly upstream: string;
  readonly method: string;
  readonly params: JsonObject;
}

/** Fake upstreams with hands to move them. */
export interface FakeUpstreams extends Upstreams {
  readonly seen: readonly SeenRequest[];
  /** Adds, changes or (with undefined) removes an upstream, and says so. */
  set(id: string, offer: FakeOffer | undefined): void;
  /** Adds an upstream nothing is known of; the returned function makes its first contact. */
  setUnknown(id: string): (offer: FakeOffer) => void;
  /** Decides what requests are answered with. */
  answer: (seen: SeenRequest, call: CallContext) => Promise<JsonObject>;
}

/** A whole manifest from an offer. */
export function toManifest(offer: FakeOffer): Manifest {
  const tool = (t: string | Definition) =>
    typeof t === 'string' ? { name: t, inputSchema: { type: 'object' } } : t;
  return {
    hello: {
      era: 'legacy',
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'fake', version: '1' },
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions: offer.instructions,
    },
    lists: {
      tool: (offer.tools ?? []).map(tool),
      resource: (offer.resources ?? []).map((uri) => ({ uri, name: uri })),
      template: (offer.templates ?? []).map((uriTemplate) => ({ uriTemplate, name: uriTemplate })),
      prompt: (offer.prompts ?? []).map((name) => ({ name })),
    },
  };
}

/** Creates fake upstreams. */
export function createFakeUpstreams(offers: Readonly<Record<string, FakeOffer>> = {}): FakeUpstreams {
  const upstreams = new Map<string, Upstream>();
  const listeners = new Set<() => void>();
  const seen: SeenRequest[] = [];

  function toUpstream(id: string, offer: FakeOffer | undefined, firstContact: Promise<void>): Upstream {
    const config: UpstreamConfig = {
      id: id as UpstreamId,
      name: offer?.title ?? id,
      kind: 'fake',
      options: {},
      tags: offer?.tags ?? [],
      enabled: true,
      timeoutMs: 1_000,
      startTimeoutMs: 1_000,
      era: undefined,
      interactive: 'shared',
      core: offer?.core ?? false,
      ...(offer?.aside && { aside: true }),
      ...(offer?.disabledTools && { disabledTools: offer.disabledTools }),
    };
    return {
      config,
      state: { is: 'idle' },
      manifest: offer && toManifest(offer),
      firstContact,
      notes: () => ({ badLines: 0, stderr: [], pid: undefined }),
      status: async () => toStillStatus({ is: 'idle' }, 0),
      async restart() {},
      request(method, params, call) {
        const request = { upstream: id, method, params };
        seen.push(request);
        return fake.answer(request, call);
      },
      async watch() {
        return () => {};
      },
      async notify() {},
      async [Symbol.asyncDispose]() {},
    };
  }

  const fake: FakeUpstreams = {
    seen,
    get all() {
      return [...upstreams.values()];
    },
    get: (id) => upstreams.get(id),
    async apply() {},
    set(id, offer) {
      if (offer) upstreams.set(id, toUpstream(id, offer, Promise.resolve()));
      else upstreams.delete(id);
      for (const listener of listeners) listener();
    },
    setUnknown(id) {
      const contact = withResolvers();
      upstreams.set(id, toUpstream(id, undefined, contact.promise));
      return (offer) => {
        fake.set(id, offer);
        contact.resolve();
      };
    },
    onManifests(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onNotification: () => () => {},
    answer: async ({ upstream, method, params }) => ({
      content: [{ type: 'text', text: `${upstream} ${method}` }],
      echo: params,
    }),
    async [Symbol.asyncDispose]() {},
  };
  for (const [id, offer] of Object.entries(offers)) fake.set(id, offer);
  return fake;
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Opens a view: the snapshot as the policies leave it for one caller, with calls wrapped by them. */
import type {
  Catalog,
  Entry,
  FoundEntry,
  Snapshot,
  Source,
  Standing,
  Unmet,
  UriOwner,
} from '../catalog/catalog.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import type { ErrorCode } from '../errors/table.ts';
import { nearest } from '../lib/nearest.ts';
import type { CallContext } from '../model/call.ts';
import type { UpstreamId } from '../model/ids.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { KINDS } from '../model/kinds.ts';
import type { Kind } from '../model/manifest.ts';
import type {
  CatalogView,
  EntryCall,
  EntryNames,
  Next,
  Policy,
  ViewSearchOptions,
  WatchedResource,
} from './policy.ts';
import { findSeen, type Seen } from './seen.ts';

/** Forwards requests to upstreams; a catalogue is one. */
export type Dispatch = Pick<Catalog, 'request' | 'watch' | 'tasks' | 'search' | 'standing' | 'unmet'>;

/** Opens the view of one caller; cheap enough to be done for every request. */
export function openView(
  snapshot: Snapshot,
  dispatch: Dispatch,
  policies: readonly Policy[],
  context: CallContext,
): CatalogView {
  return new SeenCatalog(snapshot, dispatch, policies, context);
}

/** Made for every request, of which most use one or two of its methods: so nothing is made before it is used. */
class SeenCatalog implements CatalogView {
  readonly #snapshot: Snapshot;
  readonly #dispatch: Dispatch;
  readonly #policies: readonly Policy[];
  readonly #context: CallContext;
  readonly #seen: Seen;

  constructor(snapshot: Snapshot, dispatch: Dispatch, policies: readonly Policy[], context: CallContext) {
    this.#snapshot = snapshot;
    this.#dispatch = dispatch;
    this.#policies = policies;
    this.#context = context;
    this.#seen = findSeen(snapshot, policies, context);
  }

  get refused(): EntryNames {
    return this.#seen.refused;
  }

  get caller(): string {
    return toCaller(this.#context);
  }

  get client(): string {
    return this.#context.facts.name;
  }

  get only(): UpstreamId | undefined {
    const [source, other] = this.#snapshot.sources;
    return source && !other && this.#seen.standIn(source.upstream) ? source.upstream : undefined;
  }

  list(kind: Kind): readonly Entry[] {
    return this.#seen.names.list(kind);
  }

  find(kind: Kind, publicName: string): Entry | undefined {
    return this.#seen.names.find(kind, publicName);
  }

  locate(kind: Kind, upstream: string, name: string): Entry | undefined {
    return this.#seen.names.locate(kind, upstream, name);
  }

  named(kind: Kind, name: string): readonly Entry[] {
    return this.#seen.names.named(kind, name);
  }

  search(query: string, { limit, server }: ViewSearchOptions): Promise<readonly FoundEntry[]> {
    const { sees } = this.#seen;
    return this.#dispatch.search(query, {
      limit,
      caller: this.caller,
      where: (entry) => (server === undefined || entry.upstream === server) && sees(entry),
    });
  }

  count(upstream?: string): number {
    return upstream === undefined ? this.list('tool').length : this.#seen.toolsOf(upstream).length;
  }

  toolsOf(upstream: string): readonly Entry[] {
    return this.#seen.toolsOf(upstream);
  }

  upstreams(): readonly Source[] {
    return this.#seen.upstreams();
  }

  unmet(): readonly Unmet[] {
    return this.#dispatch.unmet().filter((upstream) => this.#seen.sees(toStandIn(upstream)));
  }

  standing(upstream: UpstreamId): Standing {
    return this.#dispatch.standing(upstream);
  }

  async use(kind: 'tool' | 'prompt', publicName: string, params: JsonObject): Promise<JsonObject> {
    const entry = this.find(kind, publicName);
    if (!entry) throw this.#refusalOf(kind, publicName);
    return this.#send(entry, kind === 'tool' ? 'tools/call' : 'prompts/get', { ...params, name: entry.name });
  }

  async read(uri: string, params: JsonObject): Promise<JsonObject> {
    const { entry, owner } = this.#findResource(uri);
    return this.#send(entry, 'resources/read', { ...params, uri: owner.uri });
  }

  async readAt(upstream: string, uri: string, params: JsonObject): Promise<JsonObject> {
    const entry = this.#seen.standIn(upstream);
    if (!entry) throw toNotFound('resource', `${upstream}|${uri}`, []);
    return this.#send(entry, 'resources/read', { ...params, uri });
  }

  async complete(params: JsonObject): Promise<JsonObject> {
    const reference = isJsonObject(params['ref']) ? params['ref'] : {};
    const kind = reference['type'] === 'ref/prompt' ? 'prompt' : 'template';
    const idKey = kind === 'prompt' ? 'name' : 'uri';
    const publicName = String(reference[idKey] ?? '');
    const entry =
      this.find(kind, publicName) ?? (kind === 'template' ? this.find('resource', publicName) : undefined);
    if (!entry) throw toNotFound(kind === 'prompt' ? 'prompt' : 'resource', publicName, this.list(kind));
    const ref = { ...reference, [idKey]: entry.name };
    return this.#send(entry, 'completion/complete', { ...params, ref });
  }

  async watch(uri: string): Promise<WatchedResource> {
    const { owner } = this.#findResource(uri);
    const stop = await this.#dispatch.watch(owner.upstream, owner.uri, this.#context);
    return { ...owner, stop };
  }

  async forward(method: string, params: JsonObject): Promise<JsonObject> {
    const { taskId } = params;
    const { tasks } = this.#dispatch;
    const owner = typeof taskId === 'string' ? tasks.find(this.#context.principal, taskId) : undefined;
    const target = owner ?? this.only;
    if (target === undefined) throw toUnknownMethod(method);
    const result = await this.#dispatch.request(target, method, params, this.#context);
    return this.#snapshot.toPublicUris(target, result);
  }

  async #send(entry: Entry, method: string, params: JsonObject): Promise<JsonObject> {
    const dispatch = this.#dispatch;
    const context = this.#context;
    const forward: Next = (call) => dispatch.request(entry.upstream, method, call.params, call.context);
    const result = await chain(this.#policies, forward)({ entry, params, context });
    const { resultType, taskId } = result;
    if (resultType === 'task' && typeof taskId === 'string') {
      dispatch.tasks.remember(context.principal, taskId, entry.upstream);
    }
    return this.#snapshot.toPublicUris(entry.upstream, result);
  }

  /** Why a name cannot be used: it is refused, or there is nothing of that name. */
  #refusalOf(kind: Kind, publicName: string): GatewayError {
    const entry = this.#snapshot.find(kind, publicName);
    const refusal = entry && this.#seen.refusalOf(entry);
    return refusal ?? toNotFound(kind, publicName, this.list(kind));
  }

  #findResource(uri: string): { entry: Entry; owner: UriOwner } {
    const owner = this.#snapshot.ownerOf(uri);
    // A URI made from a template or learnt from a result has no entry; its upstream's visibility decides.
    const entry = this.find('resource', uri) ?? (owner && this.#seen.standIn(owner.upstream));
    if (!owner || !entry) throw toNotFound('resource', uri, this.list('resource'));
    return { entry, owner };
  }
}

/** An upstream without a manifest is seen exactly when a tool of it would be. */
function toStandIn({ upstream, tags }: Unmet): Entry {
  const nothing = { name: '', publicName: '', definition: {}, renamed: undefined, fingerprint: '' };
  return { kind: 'tool', upstream, tags, switchedOff: false, ...nothing };
}

/** Who is asking, as far as learning from past calls goes. */
function toCaller({ principal, facts }: CallContext): string {
  return `${principal.id}\0${facts.name}`;
}

function chain(policies: readonly Policy[], last: Next): Next {
  return policies.reduceRight<Next>((next, policy) => {
    const { around } = policy;
    return around ? (call: EntryCall) => around.call(policy, call, next) : next;
  }, last);
}

/** The error for a method the gateway does not have and nobody behind it can be meant with. */
export function toUnknownMethod(method: string): GatewayError {
  return new GatewayError('METHOD_NOT_FOUND', `the method "${method.slice(0, 200)}" is not known here`);
}

const NOT_FOUND: Readonly<Record<Kind, ErrorCode>> = {
  tool: 'TOOL_NOT_FOUND',
  prompt: 'PROMPT_NOT_FOUND',
  resource: 'RESOURCE_NOT_FOUND',
  template: 'RESOURCE_NOT_FOUND',
};

function toNotFound(kind: Kind, asked: string, visible: readonly Entry[]): GatewayError {
  const near = nearest(
    asked,
    visible.map((entry) => entry.publicName),
    3,
  );
  const hint =
    near.length > 0 ? `; the nearest: ${near.join(', ')}` : `; ${KINDS[kind].listMethod} shows what there is`;
  return new GatewayError(NOT_FOUND[kind], `no ${kind} is called "${asked.slice(0, 200)}"${hint}`);
}

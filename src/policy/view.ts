/** Opens a view: the snapshot as the policies leave it for one caller, with calls wrapped by them. */
import type { Catalog, Entry, Snapshot, Unmet, UriOwner } from '../catalog/catalog.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import type { ErrorCode } from '../errors/table.ts';
import { nearest } from '../lib/nearest.ts';
import type { CallContext } from '../model/call.ts';
import { isJsonObject, type JsonObject } from '../model/json.ts';
import { KINDS } from '../model/kinds.ts';
import type { Kind } from '../model/manifest.ts';
import type { CatalogView, EntryCall, EntryNames, Next, Policy } from './policy.ts';

/** Forwards requests to upstreams; a catalogue is one. */
export type Dispatch = Pick<Catalog, 'request' | 'watch' | 'tasks' | 'search' | 'standing' | 'unmet'>;

/** Opens the view of one caller; cheap enough to be done for every request. */
export function openView(
  snapshot: Snapshot,
  dispatch: Dispatch,
  policies: readonly Policy[],
  context: CallContext,
): CatalogView {
  const exists = (entry: Entry) => policies.every((policy) => policy.sees?.(entry, context) ?? true);
  const isRefused = (entry: Entry) => toRefusal(entry, policies, context) !== undefined;
  const sees = (entry: Entry) => exists(entry) && !isRefused(entry);
  const names = toNames(snapshot, sees);
  const { list, find } = names;

  async function send(entry: Entry, method: string, params: JsonObject): Promise<JsonObject> {
    const forward: Next = (call) => dispatch.request(entry.upstream, method, call.params, call.context);
    const result = await chain(policies, forward)({ entry, params, context });
    const { resultType, taskId } = result;
    if (resultType === 'task' && typeof taskId === 'string') {
      dispatch.tasks.remember(context.principal, taskId, entry.upstream);
    }
    return snapshot.toPublicUris(entry.upstream, result);
  }

  /** Why a name cannot be used: it is refused, or there is nothing of that name. */
  function refusalOf(kind: Kind, publicName: string): GatewayError {
    const entry = snapshot.find(kind, publicName);
    const refusal = entry && exists(entry) ? toRefusal(entry, policies, context) : undefined;
    return refusal ?? toNotFound(kind, publicName, list(kind));
  }

  function findResource(uri: string): { entry: Entry; owner: UriOwner } {
    const owner = snapshot.ownerOf(uri);
    // A URI made from a template or learnt from a result has no entry; its upstream's visibility decides.
    const entry = find('resource', uri) ?? (owner && standIn(snapshot, owner.upstream, sees));
    if (!owner || !entry) throw toNotFound('resource', uri, list('resource'));
    return { entry, owner };
  }

  return {
    ...names,
    refused: toNames(snapshot, (entry) => exists(entry) && isRefused(entry)),
    search: (query, { limit, server }) =>
      dispatch.search(query, {
        limit,
        caller: toCaller(context),
        where: (entry) => (server === undefined || entry.upstream === server) && sees(entry),
      }),
    caller: toCaller(context),
    client: context.facts.name,
    count: (upstream) =>
      snapshot
        .list('tool')
        .filter((entry) => (upstream === undefined || entry.upstream === upstream) && sees(entry)).length,
    upstreams() {
      const visible = toVisibleUpstreams(snapshot, sees);
      return snapshot.sources.filter(({ upstream }) => visible.has(upstream));
    },
    unmet: () => dispatch.unmet().filter((upstream) => sees(toStandIn(upstream))),
    standing: (upstream) => dispatch.standing(upstream),
    async readAt(upstream, uri, params) {
      const entry = standIn(snapshot, upstream, sees);
      if (!entry) throw toNotFound('resource', `${upstream}|${uri}`, []);
      return send(entry, 'resources/read', { ...params, uri });
    },
    use(kind, publicName, params) {
      const entry = find(kind, publicName);
      if (!entry) return Promise.reject(refusalOf(kind, publicName));
      return send(entry, kind === 'tool' ? 'tools/call' : 'prompts/get', { ...params, name: entry.name });
    },
    async read(uri, params) {
      const { entry, owner } = findResource(uri);
      return send(entry, 'resources/read', { ...params, uri: owner.uri });
    },
    async watch(uri) {
      const { owner } = findResource(uri);
      const stop = await dispatch.watch(owner.upstream, owner.uri, context);
      return { ...owner, stop };
    },
    get only() {
      const [source, other] = snapshot.sources;
      return source && !other && standIn(snapshot, source.upstream, sees) ? source.upstream : undefined;
    },
    async forward(method, params) {
      const { taskId } = params;
      const owner = typeof taskId === 'string' ? dispatch.tasks.find(context.principal, taskId) : undefined;
      const target = owner ?? this.only;
      if (target === undefined) throw toUnknownMethod(method);
      return snapshot.toPublicUris(target, await dispatch.request(target, method, params, context));
    },
    async complete(params) {
      const reference = isJsonObject(params['ref']) ? params['ref'] : {};
      const kind = reference['type'] === 'ref/prompt' ? 'prompt' : 'template';
      const idKey = kind === 'prompt' ? 'name' : 'uri';
      const publicName = String(reference[idKey] ?? '');
      const entry =
        find(kind, publicName) ?? (kind === 'template' ? find('resource', publicName) : undefined);
      if (!entry) throw toNotFound(kind === 'prompt' ? 'prompt' : 'resource', publicName, list(kind));
      return send(entry, 'completion/complete', { ...params, ref: { ...reference, [idKey]: entry.name } });
    },
  };
}

/** The first policy that refuses an entry decides what is said. */
function toRefusal(
  entry: Entry,
  policies: readonly Policy[],
  context: CallContext,
): GatewayError | undefined {
  for (const policy of policies) {
    const refusal = policy.refuses?.(entry, context);
    if (refusal) return refusal;
  }
  return undefined;
}

/** The ways to those entries of a snapshot that pass. */
function toNames(snapshot: Snapshot, passes: (entry: Entry) => boolean): EntryNames {
  const check = (entry: Entry | undefined) => (entry && passes(entry) ? entry : undefined);
  return {
    list: (kind) => snapshot.list(kind).filter(passes),
    find: (kind, publicName) => check(snapshot.find(kind, publicName)),
    locate: (kind, upstream, name) => check(snapshot.locate(kind, upstream, name)),
    named: (kind, name) => snapshot.named(kind, name).filter(passes),
  };
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

/** The kinds that make an upstream visible. */
const OFFERED: readonly Kind[] = ['template', 'resource', 'tool'];

/** All at once: upstream by upstream, a catalogue of thousands would be walked hundreds of times a request. */
function toVisibleUpstreams(snapshot: Snapshot, sees: (entry: Entry) => boolean): ReadonlySet<string> {
  const visible = new Set<string>();
  for (const kind of OFFERED)
    for (const entry of snapshot.list(kind))
      if (!visible.has(entry.upstream) && sees(entry)) visible.add(entry.upstream);
  return visible;
}

function standIn(snapshot: Snapshot, upstream: string, sees: (entry: Entry) => boolean): Entry | undefined {
  for (const kind of OFFERED) {
    const found = snapshot.list(kind).find((entry) => entry.upstream === upstream && sees(entry));
    if (found) return found;
  }
  return undefined;
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

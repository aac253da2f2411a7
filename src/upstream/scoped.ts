/** One configured server as callers reach it: a shared instance, or one of their own where sharing would mix them up. */
import type { CancelTimer, Clock } from '../lib/clock.ts';
import type { CallContext } from '../model/call.ts';
import { toDigest } from '../model/ids.ts';
import { type JsonObject, toCanonicalJson } from '../model/json.ts';
import { askClient, canAnswer } from './questions.ts';
import type { Upstream } from './upstream.ts';

/** What a scope is made for: one client, or one set of roots. */
export interface Scope {
  readonly key: string;
  /** What its instance may declare to be able to answer. */
  readonly declares: JsonObject;
  /** Its latest caller, who answers what belongs to no call. */
  owner(): CallContext;
}

/** The scope a call belongs to. */
interface ScopeChoice extends Pick<Scope, 'key' | 'declares'> {
  readonly isOneClient: boolean;
}

/** What a scoped upstream is made of. */
export interface ScopedOptions {
  readonly shared: Upstream;
  /** Opens an instance of its own for a scope. */
  open(scope: Scope): Upstream;
  readonly clock: Clock;
}

/** An instance nobody used for this long is stopped. */
const IDLE_MS = 10 * 60_000;

interface Scoped {
  readonly upstream: Upstream;
  owner: CallContext;
  cancelIdle: CancelTimer | undefined;
}

/** Creates the upstream; scopes come and go with their callers. */
export function createScopedUpstream(options: ScopedOptions): Upstream {
  const { shared, clock } = options;
  const scopes = new Map<string, Scoped>();

  /** Finds the instance for a call, and the call as that instance should see it. */
  async function reach(call: CallContext): Promise<{ upstream: Upstream; call: CallContext }> {
    const scope = await scopeOf(shared, call);
    if (scope === undefined) return { upstream: shared, call };
    // All calls to one client's own instance are that client's: they need not take turns.
    const seen = scope.isOneClient ? { ...call, conversation: scope.key } : call;
    return { upstream: enter(scope, seen), call: seen };
  }

  function enter({ key, declares }: ScopeChoice, call: CallContext): Upstream {
    const known = scopes.get(key) ?? create(key, declares, call);
    known.owner = call;
    known.cancelIdle?.();
    known.cancelIdle = clock.after(IDLE_MS, () => {
      scopes.delete(key);
      void known.upstream[Symbol.asyncDispose]();
    });
    return known.upstream;
  }

  function create(key: string, declares: JsonObject, call: CallContext): Scoped {
    const upstream = options.open({ key, declares, owner: () => scoped.owner });
    const scoped: Scoped = { upstream, owner: call, cancelIdle: undefined };
    scopes.set(key, scoped);
    return scoped;
  }

  return {
    config: shared.config,
    get state() {
      return shared.state;
    },
    get manifest() {
      return shared.manifest;
    },
    firstContact: shared.firstContact,
    notes: () => shared.notes(),
    // The common case goes straight on: no scope, no waiting.
    request: (method, params, call) =>
      isShared(shared, call)
        ? shared.request(method, params, call)
        : reach(call).then((reached) => reached.upstream.request(method, params, reached.call)),
    watch: async (uri, call) => (await reach(call)).upstream.watch(uri, call),
    notify: async (method, params, call) => (await reach(call)).upstream.notify(method, params, call),
    async [Symbol.asyncDispose]() {
      const own = [...scopes.values()];
      scopes.clear();
      for (const { cancelIdle } of own) cancelIdle?.();
      await Promise.all(
        [shared, ...own.map(({ upstream }) => upstream)].map((each) => each[Symbol.asyncDispose]()),
      );
    },
  };
}

function isShared({ config, manifest }: Upstream, call: CallContext): boolean {
  if (config.interactive === 'off') return true;
  return (
    config.interactive !== 'per-session' &&
    !(manifest?.traits?.asksRoots && canAnswer('roots/list', {}, call.facts.capabilities))
  );
}

async function scopeOf(shared: Upstream, call: CallContext): Promise<ScopeChoice | undefined> {
  if (isShared(shared, call)) return undefined;
  const { capabilities, era, name } = call.facts;
  if (shared.config.interactive === 'per-session') {
    // A modern client has no session: its name is the closest there is.
    const who = era === 'modern' ? `client ${name}` : `session ${call.conversation}`;
    return { key: `${call.principal.id} ${who}`, declares: capabilities, isOneClient: true };
  }
  const roots = await askClient(call, 'roots/list', {}, call.signal);
  const digest = toDigest(toCanonicalJson(roots['roots'] ?? []), 16);
  return { key: `${call.principal.id} roots ${digest}`, declares: capabilities, isOneClient: false };
}

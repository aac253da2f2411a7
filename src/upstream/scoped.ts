/** One configured server as callers reach it: a shared instance, or one of their own where sharing would mix them up. */
import type { Unsubscribe } from '../events/feed.ts';
import type { CancelTimer, Clock } from '../lib/clock.ts';
import type { CallContext } from '../model/call.ts';
import { toDigest } from '../model/ids.ts';
import { type JsonObject, toCanonicalJson } from '../model/json.ts';
import { askClient, canAnswer } from './questions.ts';
import { STATES } from './states.ts';
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
  /** Opens an instance of its own for a scope; the one before it has to be gone first. */
  open(scope: Scope, after: Promise<unknown> | undefined): Upstream;
  readonly clock: Clock;
}

/** An instance nobody used for this long is stopped. */
const IDLE_MS = 2 * 60_000;
/** More instances than this do not run at once; the one unused for longest goes first. */
const MAX_SCOPES = 32;

interface Scoped {
  readonly key: string;
  readonly upstream: Upstream;
  owner: CallContext;
  uses: number;
  cancelIdle: CancelTimer | undefined;
}

/** Creates the upstream; scopes come and go with their callers. */
export function createScopedUpstream(options: ScopedOptions): Upstream {
  const { shared, clock } = options;
  // In the order of last use: whoever was used longest ago stands first.
  const scopes = new Map<string, Scoped>();
  const ending = new Map<string, Promise<unknown>>();
  let isOver = false;

  function stop({ key, upstream, cancelIdle }: Scoped): void {
    cancelIdle?.();
    scopes.delete(key);
    const ended = Promise.all([upstream[Symbol.asyncDispose](), ending.get(key)]).finally(() => {
      if (ending.get(key) === ended) ending.delete(key);
    });
    ending.set(key, ended);
  }

  function find({ key, declares }: ScopeChoice, call: CallContext): Scoped {
    const known = scopes.get(key) ?? create(key, declares, call);
    scopes.delete(key);
    scopes.set(key, known);
    const idle = [...scopes.values()].find(({ uses }) => uses === 0);
    if (scopes.size > MAX_SCOPES && idle && idle !== known) stop(idle);
    return known;
  }

  function create(key: string, declares: JsonObject, call: CallContext): Scoped {
    const upstream = options.open({ key, declares, owner: () => scoped.owner }, ending.get(key));
    const scoped: Scoped = { key, upstream, owner: call, uses: 0, cancelIdle: undefined };
    return scoped;
  }

  /** Counts a use; an instance is idle only from the end of its last one. */
  function enter(scoped: Scoped, call: CallContext): () => void {
    scoped.owner = call;
    scoped.uses += 1;
    scoped.cancelIdle?.();
    let left = false;
    return () => {
      if (left) return;
      left = true;
      scoped.uses -= 1;
      // One that was stopped in the middle of a call may have a successor under its key by now.
      if (scoped.uses === 0 && scopes.get(scoped.key) === scoped)
        scoped.cancelIdle = clock.after(IDLE_MS, () => stop(scoped));
    };
  }

  async function use<T>(
    call: CallContext,
    run: (upstream: Upstream, call: CallContext) => Promise<T>,
  ): Promise<T> {
    const scope = await scopeOf(shared, call);
    // A client may take its time to tell its roots.
    if (scope === undefined || isOver) return run(shared, call);
    const scoped = find(scope, call);
    // All calls to one client's own instance are that client's: they need not take turns.
    const seen = scope.isOneClient ? { ...call, conversation: scope.key } : call;
    const leave = enter(scoped, seen);
    try {
      return await run(scoped.upstream, seen);
    } finally {
      leave();
    }
  }

  async function watch(uri: string, call: CallContext): Promise<Unsubscribe> {
    const scope = await scopeOf(shared, call);
    if (scope === undefined || isOver) return shared.watch(uri, call);
    const scoped = find(scope, call);
    const leave = enter(scoped, call);
    try {
      const unwatch = await scoped.upstream.watch(uri, call);
      return () => {
        unwatch();
        leave();
      };
    } catch (error) {
      leave();
      throw error;
    }
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
    status: async () => ({ ...(await shared.status()), scopes: scopes.size }),
    async restart(reason) {
      const own = [...scopes.values()];
      const used = own.filter(({ uses }) => uses > 0);
      // Those of clients that do not use theirs now are opened anew by their next call.
      for (const scoped of own) if (scoped.uses === 0) stop(scoped);
      // Where only clients' own instances ran, nobody needs the shared one.
      const isSharedMeant = own.length === 0 || !STATES[shared.state.is].resting;
      const meant = [...used.map(({ upstream }) => upstream), ...(isSharedMeant ? [shared] : [])];
      await Promise.all(meant.map((each) => each.restart(reason)));
    },
    // The common case goes straight on: no scope, no waiting.
    request: (method, params, call) =>
      isShared(shared, call)
        ? shared.request(method, params, call)
        : use(call, (upstream, seen) => upstream.request(method, params, seen)),
    watch,
    notify: (method, params, call) => use(call, (upstream, seen) => upstream.notify(method, params, seen)),
    async [Symbol.asyncDispose]() {
      isOver = true;
      for (const scoped of [...scopes.values()]) stop(scoped);
      await Promise.all([shared[Symbol.asyncDispose](), ...ending.values()]);
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
    return { key: `${call.principal.id} ${who}`, declares: capabilities, isOneClient: era === 'legacy' };
  }
  const roots = await askClient(call, 'roots/list', {}, call.signal);
  const digest = toDigest(toCanonicalJson(roots['roots'] ?? []), 16);
  return { key: `${call.principal.id} roots ${digest}`, declares: capabilities, isOneClient: false };
}

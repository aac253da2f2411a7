/** Keeps one link to a server alive: opens it once for all who ask, and after a death not too often. */
import { fromUnknown } from '../errors/from-unknown.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import type { CancelTimer, Clock } from '../lib/clock.ts';
import { RESTART_LIMITS, toBackoffMs } from './backoff.ts';
import type { Connection, UpstreamState } from './upstream.ts';
import { pause, settlesWithin } from './within.ts';

/** What a supervisor needs to know and to call. */
export interface SupervisorOptions {
  /** How errors name the upstream. */
  readonly name: string;
  readonly startTimeoutMs: number;
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  /** Opens and greets the server once. */
  connect(signal: AbortSignal): Promise<Connection>;
  /** Does what must be done before a fresh connection counts as online. */
  welcome(connection: Connection, signal: AbortSignal): Promise<void>;
  onState(state: UpstreamState): void;
  /** A background attempt is due; it calls `attempt` when there is room. */
  onDue(): void;
}

/** One supervised link. */
export interface Supervisor {
  readonly state: UpstreamState;
  /** The live connection, opened if need be; rejects at once when the next attempt is far away. */
  connection(signal: AbortSignal): Promise<Connection>;
  /** Tries to open the link now; never rejects. */
  attempt(): Promise<void>;
  stop(): Promise<void>;
}

const HEALTHY_MS = 60_000;
/** A call rather waits this long for the next attempt than fail. */
const PATIENCE_MS = 3_000;
/** No background attempt comes sooner than this. */
const MIN_RETRY_MS = 250;
const STOP_MS = 10_000;

/** Creates a supervisor; nothing is opened until somebody asks. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { clock, name } = options;
  const stopping = new AbortController();
  const cleanups = new Set<Promise<unknown>>();
  let state: UpstreamState = { is: 'idle' };
  let live: Connection | undefined;
  let opening: Promise<Connection> | undefined;
  let failures = 0;
  let retryAt = 0;
  let failure: unknown;
  let cancelRetry: CancelTimer | undefined;

  function setState(next: UpstreamState): void {
    state = next;
    if (!stopping.signal.aborted) options.onState(next);
  }

  function track(started: PromiseLike<unknown>): void {
    const work = Promise.resolve(started);
    cleanups.add(work);
    const forget = () => cleanups.delete(work);
    work.then(forget, forget);
  }

  function goOffline(thrown: unknown): void {
    const error = fromUnknown(thrown);
    failure = error;
    failures += 1;
    const delayMs = toBackoffMs(failures, RESTART_LIMITS, options.random());
    retryAt = clock.now() + delayMs;
    const needsPerson = error.code === 'UPSTREAM_AUTH' || error.code === 'CONFIG_INVALID';
    if (!needsPerson && !stopping.signal.aborted) {
      cancelRetry?.();
      cancelRetry = clock.after(Math.max(MIN_RETRY_MS, delayMs), options.onDue);
    }
    setState(
      error.code === 'UPSTREAM_AUTH'
        ? { is: 'needs_auth', reason: error.message }
        : { is: 'offline', reason: error.message, retryAt },
    );
  }

  function adopt(connection: Connection): void {
    const since = clock.now();
    live = connection;
    setState({ is: 'online', since });
    void connection.closed.then((reason) => {
      if (live !== connection) return;
      live = undefined;
      track(connection[Symbol.asyncDispose]());
      if (clock.now() - since >= HEALTHY_MS) failures = 0;
      const code = reason.kind === 'exited' ? 'UPSTREAM_EXITED' : 'UPSTREAM_UNAVAILABLE';
      goOffline(new GatewayError(code, `${name}: ${reason.message}`));
    });
  }

  async function open(signal: AbortSignal): Promise<Connection> {
    const connecting = options.connect(signal);
    track(connecting);
    const connection = await orAborted(connecting, signal);
    try {
      setState({ is: 'discovering', since: clock.now() });
      await orAborted(options.welcome(connection, signal), signal);
    } catch (error) {
      track(connection[Symbol.asyncDispose]());
      throw error;
    }
    adopt(connection);
    return connection;
  }

  async function openInTime(waitMs: number): Promise<Connection> {
    cancelRetry?.();
    if (waitMs > 0) await pause(waitMs, clock, stopping.signal);
    stopping.signal.throwIfAborted();
    const limit = new AbortController();
    const cancel = clock.after(options.startTimeoutMs, () => limit.abort(toSlowError(options)));
    setState({ is: 'connecting', since: clock.now() });
    try {
      return await open(AbortSignal.any([stopping.signal, limit.signal]));
    } catch (error) {
      goOffline(error);
      throw error;
    } finally {
      cancel();
    }
  }

  function start(waitMs: number): Promise<Connection> {
    if (opening) return opening;
    const attempt = openInTime(waitMs).finally(() => {
      opening = undefined;
    });
    // Callers may all have gone by the time it fails; the state tells what happened.
    attempt.catch(() => {});
    opening = attempt;
    return attempt;
  }

  return {
    get state() {
      return state;
    },
    async connection(signal) {
      if (live) return live;
      stopping.signal.throwIfAborted();
      const waitMs = Math.max(0, retryAt - clock.now());
      if (!opening && waitMs > PATIENCE_MS) throw toOfflineError(options.name, failure, waitMs);
      return orAborted(start(waitMs), signal);
    },
    async attempt() {
      if (live || stopping.signal.aborted) return;
      await start(0).catch(() => {});
    },
    async stop() {
      if (!stopping.signal.aborted)
        stopping.abort(
          new GatewayError('UPSTREAM_UNAVAILABLE', `${name}: was stopped; its configuration changed`),
        );
      cancelRetry?.();
      const connection = live;
      live = undefined;
      if (connection) track(connection[Symbol.asyncDispose]());
      await settlesWithin(Promise.allSettled([...cleanups]), STOP_MS, clock);
    },
  };
}

/** What the promise gives, or the signal's reason as soon as it aborts. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function toSlowError({ name, startTimeoutMs }: SupervisorOptions): GatewayError {
  return new GatewayError(
    'UPSTREAM_TIMEOUT',
    `${name}: did not start and greet within ${startTimeoutMs} ms; raise "startTimeoutMs" if it needs longer`,
    { data: { timeoutMs: startTimeoutMs } },
  );
}

function toOfflineError(name: string, failure: unknown, waitMs: number): GatewayError {
  const error = fromUnknown(failure);
  const code = error.code === 'UPSTREAM_AUTH' ? 'UPSTREAM_AUTH' : 'UPSTREAM_UNAVAILABLE';
  return new GatewayError(
    code,
    `${name}: is offline and is tried again in ${Math.ceil(waitMs / 1000)} s (${error.message})`,
    {
      cause: failure,
      data: { upstream: name, state: 'offline', reason: error.message, retryInMs: Math.ceil(waitMs) },
    },
  );
}

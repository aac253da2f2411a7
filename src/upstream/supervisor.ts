/** Keeps one link to a server alive: opens it once for all who ask, and after a death not too often. */
import { fromUnknown } from '../errors/from-unknown.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import type { CancelSignal } from '../lib/cancel.ts';
import type { CancelTimer, Clock } from '../lib/clock.ts';
import { toCloseError } from '../wire/peer.ts';
import { RESTART_LIMITS, toBackoffMs } from './backoff.ts';
import type { Connection, UpstreamState } from './upstream.ts';
import { orAborted, pause, settlesWithin } from './within.ts';

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
  connection(signal: CancelSignal): Promise<Connection>;
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
  return new LinkSupervisor(options);
}

class LinkSupervisor implements Supervisor {
  readonly #options: SupervisorOptions;
  readonly #stopping = new AbortController();
  /** What still runs for links already given up. */
  readonly #cleanups = new Set<Promise<unknown>>();
  #state: UpstreamState = { is: 'idle' };
  #live: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  #failures = 0;
  #failure: unknown;
  #retryAt = 0;
  #cancelRetry: CancelTimer | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  get state(): UpstreamState {
    return this.#state;
  }

  async connection(signal: AbortSignal): Promise<Connection> {
    if (this.#live) return this.#live;
    this.#stopping.signal.throwIfAborted();
    const waitMs = Math.max(0, this.#retryAt - this.#options.clock.now());
    if (!this.#opening && waitMs > PATIENCE_MS)
      throw toOfflineError(this.#options.name, this.#failure, waitMs);
    return orAborted(this.#start(waitMs), signal);
  }

  async attempt(): Promise<void> {
    if (this.#live || this.#stopping.signal.aborted) return;
    // The state tells what happened.
    await this.#start(0).catch(() => {});
  }

  async stop(): Promise<void> {
    const { name, clock } = this.#options;
    this.#stopping.abort(
      new GatewayError('UPSTREAM_UNAVAILABLE', `${name}: was stopped by the gateway; try again in a moment`),
    );
    this.#cancelRetry?.();
    if (this.#live) this.#track(this.#live[Symbol.asyncDispose]());
    this.#live = undefined;
    await settlesWithin(Promise.allSettled([...this.#cleanups]), STOP_MS, clock);
  }

  #start(waitMs: number): Promise<Connection> {
    if (this.#opening) return this.#opening;
    const attempt = this.#openInTime(waitMs).finally(() => {
      this.#opening = undefined;
    });
    // Callers may all have gone by the time it fails.
    attempt.catch(() => {});
    this.#opening = attempt;
    return attempt;
  }

  async #openInTime(waitMs: number): Promise<Connection> {
    const { clock, startTimeoutMs } = this.#options;
    const stopping = this.#stopping.signal;
    this.#cancelRetry?.();
    if (waitMs > 0) await pause(waitMs, clock, stopping);
    stopping.throwIfAborted();
    const limit = new AbortController();
    const giveUp = () => limit.abort(stopping.reason);
    stopping.addEventListener('abort', giveUp, { once: true });
    const cancel = clock.after(startTimeoutMs, () => limit.abort(toSlowError(this.#options)));
    this.#setState({ is: 'connecting', since: clock.now() });
    try {
      return await this.#open(limit.signal);
    } catch (error) {
      this.#goOffline(error);
      throw error;
    } finally {
      cancel();
      stopping.removeEventListener('abort', giveUp);
    }
  }

  async #open(signal: AbortSignal): Promise<Connection> {
    const { connect, welcome, clock } = this.#options;
    const connecting = connect(signal);
    this.#track(connecting);
    const connection = await orAborted(connecting, signal);
    try {
      this.#setState({ is: 'discovering', since: clock.now() });
      await orAborted(welcome(connection, signal), signal);
    } catch (error) {
      this.#track(connection[Symbol.asyncDispose]());
      throw error;
    }
    this.#adopt(connection);
    return connection;
  }

  #adopt(connection: Connection): void {
    const { clock, name } = this.#options;
    const since = clock.now();
    this.#live = connection;
    this.#setState({ is: 'online', since });
    void connection.closed.then((reason) => {
      if (this.#live !== connection) return;
      this.#live = undefined;
      this.#track(connection[Symbol.asyncDispose]());
      if (clock.now() - since >= HEALTHY_MS) this.#failures = 0;
      this.#goOffline(toCloseError({ ...reason, message: `${name}: ${reason.message}` }));
    });
  }

  #goOffline(thrown: unknown): void {
    const { clock, random, onDue } = this.#options;
    const error = fromUnknown(thrown);
    this.#failure = error;
    this.#failures += 1;
    const delayMs = toBackoffMs(this.#failures, RESTART_LIMITS, random());
    this.#retryAt = clock.now() + delayMs;
    const needsPerson = error.code === 'UPSTREAM_AUTH' || error.code === 'CONFIG_INVALID';
    this.#cancelRetry?.();
    if (!needsPerson && !this.#stopping.signal.aborted)
      this.#cancelRetry = clock.after(Math.max(MIN_RETRY_MS, delayMs), onDue);
    this.#setState(
      error.code === 'UPSTREAM_AUTH'
        ? { is: 'needs_auth', reason: error.message }
        : { is: 'offline', reason: error.message, retryAt: this.#retryAt },
    );
  }

  #setState(next: UpstreamState): void {
    this.#state = next;
    if (!this.#stopping.signal.aborted) this.#options.onState(next);
  }

  #track(started: PromiseLike<unknown>): void {
    const work = Promise.resolve(started);
    this.#cleanups.add(work);
    const forget = () => this.#cleanups.delete(work);
    work.then(forget, forget);
  }
}

function toSlowError({ name, startTimeoutMs }: SupervisorOptions): GatewayError {
  return new GatewayError(
    'UPSTREAM_TIMEOUT',
    `${name}: did not start and greet within ${startTimeoutMs} ms; raise "startTimeout" if it needs longer`,
    { data: { timeoutMs: startTimeoutMs } },
  );
}

function toOfflineError(name: string, failure: unknown, waitMs: number): GatewayError {
  const error = fromUnknown(failure);
  const code = error.code === 'UPSTREAM_AUTH' ? 'UPSTREAM_AUTH' : 'UPSTREAM_UNAVAILABLE';
  const retryInMs = Math.ceil(waitMs);
  return new GatewayError(
    code,
    `${name}: is offline and is tried again in ${Math.ceil(waitMs / 1000)} s (${error.message})`,
    { cause: failure, data: { upstream: name, state: 'offline', reason: error.message, retryInMs } },
  );
}

/** Keeps one link to a server alive: opens it once for all who ask, and after a death not too often. */
import { fromUnknown } from '../errors/from-unknown.ts';
import { GatewayError, type RpcError } from '../errors/gateway-error.ts';
import type { CancelSignal } from '../lib/cancel.ts';
import type { CancelTimer, Clock } from '../lib/clock.ts';
import { toCloseError } from '../wire/peer.ts';
import { createBreaker } from './breaker.ts';
import { FAILED, toMove, toSlowError } from './failure.ts';
import { type Move, STATES, sayState, toNextState } from './states.ts';
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
  /** Told of every change, and what brought it about. */
  onState(state: UpstreamState, move: Move): void;
  /** A background attempt is due; it calls `attempt` when there is room. */
  onDue(): void;
}

/** One supervised link. */
export interface Supervisor {
  readonly state: UpstreamState;
  /** How often the link had to be opened anew, after a death or because somebody wished it. */
  readonly restarts: number;
  /** The connection that is open, if one is; while it is still being welcomed it is nobody's. */
  readonly live: Connection | undefined;
  /** The live connection, opened if need be; rejects at once when the next attempt is far away. */
  connection(signal: CancelSignal): Promise<Connection>;
  /** Tries to open the link now; never rejects. */
  attempt(): Promise<void>;
  /** Told that the server has answered somebody: what went wrong before is forgiven. */
  worked(): void;
  /** Closes a link nobody uses; the next call opens another. */
  rest(): void;
  /** Closes a live link whose server does harm, as if it had died: it comes back, but not too often. */
  end(reason: string): void;
  /** Closes the link, whatever runs over it, and opens another; the state tells what came of it. */
  restart(reason: string): Promise<void>;
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
  readonly #breaker: ReturnType<typeof createBreaker>;
  readonly #stopping = new AbortController();
  /** What still runs for links already given up. */
  readonly #cleanups = new Set<Promise<unknown>>();
  /** Links and attempts that are ending: the next begins when they are gone, so that a server never runs twice. */
  readonly #closing = new Set<Promise<unknown>>();
  #state: UpstreamState = { is: 'idle' };
  #live: Connection | undefined;
  #hasLived = false;
  #opening: Promise<Connection> | undefined;
  #giveUp: ((reason: unknown) => void) | undefined;
  #restarts = 0;
  #retryAt = 0;
  #cancelRetry: CancelTimer | undefined;

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#breaker = createBreaker(options.random);
  }

  get state(): UpstreamState {
    return this.#state;
  }

  get restarts(): number {
    return this.#restarts;
  }

  get live(): Connection | undefined {
    return this.#live;
  }

  async connection(signal: CancelSignal): Promise<Connection> {
    if (this.#live) return this.#live;
    this.#stopping.signal.throwIfAborted();
    const waitMs = Math.max(0, this.#retryAt - this.#options.clock.now());
    if (!this.#opening && waitMs > PATIENCE_MS) throw this.#toWaitError(waitMs);
    return orAborted(this.#start(waitMs), signal);
  }

  async attempt(): Promise<void> {
    if (this.#live || this.#stopping.signal.aborted) return;
    // The state tells what happened.
    await this.#start(0).catch(() => {});
  }

  worked(): void {
    this.#breaker.reset();
  }

  rest(): void {
    if (!this.#live || this.#stopping.signal.aborted) return;
    this.#close();
    this.#move('rest', { is: 'idle' });
  }

  end(reason: string): void {
    if (!this.#live || this.#stopping.signal.aborted) return;
    this.#close();
    this.#restarts += 1;
    this.#fail(
      new GatewayError('UPSTREAM_EXITED', `${this.#options.name}: was ended, since ${reason}`),
      true,
    );
  }

  async restart(reason: string): Promise<void> {
    const { name, clock } = this.#options;
    const text = `${name}: is being restarted (${reason}); try again in a moment`;
    const error = new GatewayError('UPSTREAM_UNAVAILABLE', text, { data: { upstream: name } });
    while (this.#opening) {
      this.#giveUp?.(error);
      await this.#opening.catch(() => {});
    }
    if (this.#stopping.signal.aborted) return;
    this.#close();
    this.#breaker.reset();
    this.#restarts += 1;
    this.#retryAt = clock.now();
    this.#move('restart', { is: 'restarting', reason, retryAt: this.#retryAt });
    await this.attempt();
  }

  async stop(): Promise<void> {
    const { name, clock } = this.#options;
    this.#stopping.abort(
      new GatewayError('UPSTREAM_UNAVAILABLE', `${name}: was stopped by the gateway; try again in a moment`),
    );
    this.#cancelRetry?.();
    this.#close();
    // An attempt that is given up ends at once, but only then is it known what is left of it to close.
    await this.#opening?.catch(() => {});
    await settlesWithin(Promise.allSettled([...this.#cleanups]), STOP_MS, clock);
  }

  #start(waitMs: number): Promise<Connection> {
    if (this.#opening) return this.#opening;
    const attempt = this.#openInTime(waitMs).finally(() => {
      this.#opening = undefined;
      this.#giveUp = undefined;
    });
    // Callers may all have gone by the time it fails.
    attempt.catch(() => {});
    this.#opening = attempt;
    return attempt;
  }

  async #openInTime(waitMs: number): Promise<Connection> {
    const { clock } = this.#options;
    const stopping = this.#stopping.signal;
    const limit = new AbortController();
    const onStop = () => limit.abort(stopping.reason);
    this.#giveUp = (reason) => limit.abort(reason);
    stopping.addEventListener('abort', onStop, { once: true });
    this.#cancelRetry?.();
    try {
      if (waitMs > 0) await pause(waitMs, clock, limit.signal);
      limit.signal.throwIfAborted();
      return await this.#openWithin(limit);
    } finally {
      stopping.removeEventListener('abort', onStop);
    }
  }

  async #openWithin(limit: AbortController): Promise<Connection> {
    const { clock, name, startTimeoutMs } = this.#options;
    const cancel = clock.after(startTimeoutMs, () => limit.abort(toSlowError(name, startTimeoutMs)));
    this.#move('start', { is: 'connecting', since: clock.now() });
    try {
      return await this.#open(limit.signal);
    } catch (error) {
      this.#fail(fromUnknown(error), false);
      throw error;
    } finally {
      cancel();
    }
  }

  async #open(signal: AbortSignal): Promise<Connection> {
    const { connect, welcome, clock } = this.#options;
    await orAborted(Promise.allSettled([...this.#closing]), signal);
    const connecting = connect(signal);
    const connection = await orAborted(connecting, signal).catch((error: unknown) => {
      this.#awaitGone(this.#track(connecting.then((late) => this.#dispose(late))));
      throw error;
    });
    try {
      this.#move('greet', { is: 'discovering', since: clock.now() });
      await orAborted(welcome(connection, signal), signal);
    } catch (error) {
      void this.#dispose(connection);
      throw error;
    }
    this.#adopt(connection);
    return connection;
  }

  #adopt(connection: Connection): void {
    const { clock, name } = this.#options;
    const since = clock.now();
    this.#live = connection;
    this.#hasLived = true;
    this.#retryAt = 0;
    this.#move('welcome', { is: 'online', since });
    void connection.closed.then((reason) => {
      if (this.#live !== connection) return;
      this.#close();
      if (clock.now() - since >= HEALTHY_MS) this.#breaker.reset();
      this.#restarts += 1;
      this.#fail(toCloseError({ ...reason, message: `${name}: ${reason.message}` }), true);
    });
  }

  #fail(error: GatewayError | RpcError, wasLive: boolean): void {
    const { clock, onDue } = this.#options;
    // A program that ended by itself whenever it was started is hardly mended by time.
    const patient = error.code === 'UPSTREAM_EXITED' && !this.#hasLived;
    const verdict = this.#breaker.failed(clock.now(), patient);
    this.#retryAt = clock.now() + verdict.delayMs;
    const needsPerson = error.code === 'UPSTREAM_AUTH' || error.code === 'CONFIG_INVALID';
    this.#cancelRetry?.();
    if (!needsPerson && !this.#stopping.signal.aborted)
      this.#cancelRetry = clock.after(Math.max(MIN_RETRY_MS, verdict.delayMs), onDue);
    const { message: reason } = error;
    const move = toMove(error, wasLive, verdict.isOpen, verdict.delayMs <= PATIENCE_MS);
    if (move === 'refuse') this.#move(move, { is: 'needs_auth', reason });
    else if (move === 'confuse')
      this.#move(move, { is: 'error', reason, retryAt: needsPerson ? undefined : this.#retryAt });
    else this.#move(move, { is: FAILED[move], reason, retryAt: this.#retryAt });
  }

  /** Every change of state goes through the table; one it does not know is a fault of ours. */
  #move(move: Move, next: UpstreamState): void {
    if (toNextState(this.#state.is, move) !== next.is)
      throw new GatewayError('INTERNAL', `${this.#options.name}: cannot ${move} while ${this.#state.is}`);
    this.#state = next;
    if (!this.#stopping.signal.aborted) this.#options.onState(next, move);
  }

  #close(): void {
    if (this.#live) void this.#dispose(this.#live);
    this.#live = undefined;
  }

  async #dispose(connection: Connection): Promise<void> {
    const closing = this.#track(Promise.resolve(connection[Symbol.asyncDispose]()));
    this.#closing.add(closing);
    await closing.catch(() => {});
    this.#closing.delete(closing);
  }

  /** What is left of an attempt that was given up is gone soon; if it is not, nobody waits for it any longer. */
  #awaitGone(left: Promise<unknown>): void {
    const gone = settlesWithin(left, STOP_MS, this.#options.clock);
    this.#closing.add(gone);
    void gone.then(() => this.#closing.delete(gone));
  }

  #track(work: Promise<unknown>): Promise<unknown> {
    this.#cleanups.add(work);
    const forget = () => this.#cleanups.delete(work);
    work.then(forget, forget);
    return work;
  }

  #toWaitError(waitMs: number): GatewayError {
    const { name, clock } = this.#options;
    const state = this.#state;
    const reason = 'reason' in state ? state.reason : STATES[state.is].explain(state, clock.now());
    const data = { upstream: name, state: state.is, reason, retryInMs: Math.ceil(waitMs) };
    const code = state.is === 'needs_auth' ? 'UPSTREAM_AUTH' : 'UPSTREAM_UNAVAILABLE';
    return new GatewayError(code, `${name}: ${sayState(state, clock.now())}`, { data });
  }
}

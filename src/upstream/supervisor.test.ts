import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import type { CloseReason } from '../wire/channel.ts';
import { createDeferred } from './deferred.ts';
import { createSupervisor } from './supervisor.ts';
import type { Connection } from './upstream.ts';

function supervise(
  connect: (signal: AbortSignal) => Promise<Connection>,
  random = 0.999,
  welcome = async () => {},
) {
  const clock = createFakeClock();
  const states: string[] = [];
  let attempts = 0;
  const supervisor = createSupervisor({
    name: 'x',
    startTimeoutMs: 5_000,
    clock,
    random: () => random,
    connect(signal) {
      attempts += 1;
      return connect(signal);
    },
    welcome,
    onState: (state) => states.push(state.is),
    onDue: () => void supervisor.attempt(),
  });
  return { supervisor, clock, states, attempts: () => attempts };
}

function createConnection(closing: Promise<void> = Promise.resolve()): {
  connection: Connection;
  die(): void;
} {
  const closed = createDeferred<CloseReason>();
  const connection = {
    closed: closed.promise,
    [Symbol.asyncDispose]: () => closing,
  } as unknown as Connection;
  return { connection, die: () => closed.resolve({ kind: 'exited', message: 'was ended by SIGKILL' }) };
}

const live = () => new AbortController().signal;
const refuse = async () => {
  throw new GatewayError('UPSTREAM_UNAVAILABLE', 'x: is not there');
};

describe('the supervisor', () => {
  it('opens one link for all who ask at once', async () => {
    const { connection } = createConnection();
    const { supervisor, attempts, states } = supervise(async () => connection);
    const got = await Promise.all([supervisor.connection(live()), supervisor.connection(live())]);
    expect(got).toEqual([connection, connection]);
    expect(attempts()).toBe(1);
    expect(states).toEqual(['connecting', 'discovering', 'online']);
  });

  it('lets a call wait for a short back-off after a death', async () => {
    const first = createConnection();
    const second = createConnection();
    const queue = [first.connection, second.connection];
    const { supervisor, clock } = supervise(async () => queue.shift() ?? second.connection);
    await supervisor.connection(live());
    first.die();
    await clock.advance(0);
    expect(supervisor.state).toMatchObject({ is: 'restarting', reason: 'x: was ended by SIGKILL' });
    const call = supervisor.connection(live());
    await clock.advance(500);
    expect(await call).toBe(second.connection);
  });

  it('answers at once, with state, reason and time, while the next attempt is far away', async () => {
    const { supervisor, clock } = supervise(refuse);
    for (let turn = 0; turn < 5; turn++) {
      void supervisor.attempt();
      await clock.advance(0);
    }
    await expect(supervisor.connection(live())).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      data: { upstream: 'x', state: 'offline', reason: 'x: is not there', retryInMs: expect.any(Number) },
    });
  });

  it('tries again in the background until it succeeds', async () => {
    const { connection } = createConnection();
    let there = false;
    const { supervisor, clock } = supervise(async () => (there ? connection : refuse()));
    await supervisor.attempt();
    await clock.advance(10_000);
    expect(supervisor.state.is).toBe('offline');
    there = true;
    await clock.advance(60_000);
    expect(supervisor.state.is).toBe('online');
  });

  it('does not try by itself what needs a person', async () => {
    const { supervisor, clock, attempts } = supervise(async () => {
      throw new GatewayError('UPSTREAM_AUTH', 'x: wants a token');
    });
    await supervisor.attempt();
    await clock.advance(600_000);
    expect(attempts()).toBe(1);
    expect(supervisor.state).toEqual({ is: 'needs_auth', reason: 'x: wants a token' });
  });

  it('gives a server that hangs no more than its start time', async () => {
    const { supervisor, clock } = supervise(() => new Promise(() => {}));
    const attempt = supervisor.attempt();
    await clock.advance(5_000);
    await attempt;
    expect(supervisor.state).toMatchObject({
      is: 'offline',
      reason: expect.stringContaining('within 5000 ms'),
    });
  });

  it('forgets earlier failures after a minute of health', async () => {
    const links = [createConnection(), createConnection()];
    let refused = 4;
    const { supervisor, clock } = supervise(async () => {
      if (refused-- > 0) return refuse();
      return (links.shift() ?? createConnection()).connection;
    });
    const [first] = links;
    await supervisor.attempt();
    await clock.advance(60_000);
    expect(supervisor.state.is).toBe('online');
    await clock.advance(60_000);
    first?.die();
    await clock.advance(0);
    expect(supervisor.state).toMatchObject({ is: 'restarting', retryAt: clock.now() + 499 });
  });

  it('stops waiting when the caller does', async () => {
    const { supervisor } = supervise(() => new Promise(() => {}));
    const controller = new AbortController();
    const call = supervisor.connection(controller.signal);
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });

  it('calls a program that ends again and again failed, and probes it seldom', async () => {
    const { supervisor, clock, attempts } = supervise(async () => {
      throw new GatewayError('UPSTREAM_EXITED', 'x: exited with code 1');
    });
    await supervisor.attempt();
    await clock.advance(20_000);
    expect(supervisor.state).toMatchObject({ is: 'failed', reason: 'x: exited with code 1' });
    expect(attempts()).toBe(5);
    await expect(supervisor.connection(live())).rejects.toMatchObject({
      code: 'UPSTREAM_UNAVAILABLE',
      message: expect.stringMatching(/^x: ends again and again .* tried again by itself in \d+ s$/),
    });
    await clock.advance(280_000);
    expect(attempts()).toBeLessThanOrEqual(7);
  });

  it('has what cannot be reached back within 90 seconds of its return, with no call made', async () => {
    const { connection } = createConnection();
    let there = false;
    const { supervisor, clock } = supervise(async () => (there ? connection : refuse()));
    await supervisor.attempt();
    await clock.advance(3_600_000);
    expect(supervisor.state.is).toBe('offline');
    there = true;
    await clock.advance(90_000);
    expect(supervisor.state.is).toBe('online');
  });

  it('does not hold deaths against a server that answered somebody before each of them', async () => {
    const links = Array.from({ length: 12 }, () => createConnection());
    let at = 0;
    const { supervisor, clock } = supervise(async () => links[at++]!.connection, 0);
    await supervisor.attempt();
    for (let death = 0; death < 10; death++) {
      supervisor.worked();
      links[at - 1]?.die();
      await clock.advance(0);
      expect(supervisor.state.is).toBe('restarting');
      await supervisor.attempt();
    }
    expect(supervisor.restarts).toBe(10);
  });

  it('takes five deaths without an answer between them for a failure', async () => {
    const links = Array.from({ length: 6 }, () => createConnection());
    let at = 0;
    const { supervisor, clock } = supervise(async () => links[at++]!.connection, 0);
    for (let death = 0; death < 5; death++) {
      await supervisor.attempt();
      links[at - 1]?.die();
      await clock.advance(0);
    }
    expect(supervisor.state).toMatchObject({ is: 'failed', reason: 'x: was ended by SIGKILL' });
    await clock.advance(60_000);
    expect(supervisor.state.is).toBe('online');
  });

  it('rests without losing anything, and never opens a link before the last one is gone', async () => {
    const gone = createDeferred<void>();
    const queue = [createConnection(gone.promise).connection, createConnection().connection];
    const { supervisor, clock, attempts, states } = supervise(async () => queue.shift()!);
    await supervisor.attempt();
    supervisor.rest();
    expect(supervisor.state).toEqual({ is: 'idle' });
    const call = supervisor.connection(live());
    await clock.advance(1_000);
    expect(attempts()).toBe(1);
    gone.resolve();
    await call;
    expect(attempts()).toBe(2);
    expect(states.slice(3)).toEqual(['idle', 'connecting', 'discovering', 'online']);
    expect(supervisor.restarts).toBe(0);
  });

  it('restarts on demand from whatever state, and forgets what went wrong', async () => {
    const { connection } = createConnection();
    let there = false;
    const { supervisor, clock } = supervise(async () => (there ? connection : refuse()));
    await supervisor.attempt();
    await clock.advance(20_000);
    there = true;
    await supervisor.restart('a person asked');
    expect(supervisor.state.is).toBe('online');
    expect(supervisor.restarts).toBe(1);
  });

  it('gives up a start that hangs when it is restarted, and starts anew when nothing is left of it', async () => {
    const { connection } = createConnection();
    const gone = createDeferred<void>();
    let first = true;
    const { supervisor, clock, attempts } = supervise((signal) => {
      const hangs = first;
      first = false;
      // A program that is given up while it is greeted takes its time to end.
      return hangs ? gone.promise.then(() => Promise.reject(signal.reason)) : Promise.resolve(connection);
    });
    const call = supervisor.connection(live()).catch((error: Error) => error);
    await clock.advance(10);
    const restarting = supervisor.restart('a person asked');
    await clock.advance(1_000);
    expect(await call).toMatchObject({ message: expect.stringContaining('is being restarted') });
    expect(attempts()).toBe(1);
    gone.resolve();
    await restarting;
    expect([supervisor.state.is, attempts()]).toEqual(['online', 2]);
  });

  it('does not wait for ever for what is left of a start that was given up', async () => {
    const { connection } = createConnection();
    let first = true;
    const { supervisor, clock } = supervise(() => {
      const hangs = first;
      first = false;
      return hangs ? new Promise(() => {}) : Promise.resolve(connection);
    });
    void supervisor.attempt();
    await clock.advance(10);
    void supervisor.restart('a person asked');
    await clock.advance(30_000);
    expect(supervisor.state.is).toBe('online');
  });

  it('cuts the wait before an attempt short when it is restarted', async () => {
    const { connection } = createConnection();
    let there = false;
    const { supervisor, clock, attempts } = supervise(async () => (there ? connection : refuse()));
    await supervisor.attempt();
    const call = supervisor.connection(live()).catch((error: Error) => error);
    await clock.advance(10);
    there = true;
    await supervisor.restart('a person asked');
    expect(supervisor.state.is).toBe('online');
    expect([clock.now(), attempts()]).toEqual([10, 2]);
    expect(await call).toMatchObject({ message: expect.stringContaining('is being restarted') });
  });

  it('is stopped only when a server it was about to welcome is gone', async () => {
    const gone = createDeferred<void>();
    const { connection } = createConnection(gone.promise);
    const { supervisor, clock, states } = supervise(
      async () => connection,
      0,
      () => new Promise(() => {}),
    );
    void supervisor.attempt();
    await clock.advance(0);
    expect(states.at(-1)).toBe('discovering');
    let isStopped = false;
    const stopping = supervisor.stop().then(() => {
      isStopped = true;
    });
    await clock.advance(1_000);
    expect(isStopped).toBe(false);
    gone.resolve();
    await stopping;
    expect(clock.waiting).toBe(0);
  });

  it('closes a server that was reached only after the attempt was given up', async () => {
    const gone = createDeferred<void>();
    const { connection } = createConnection(gone.promise);
    const late = createDeferred<Connection>();
    const { supervisor, clock } = supervise(() => late.promise);
    void supervisor.attempt();
    await clock.advance(0);
    let isStopped = false;
    const stopping = supervisor.stop().then(() => {
      isStopped = true;
    });
    late.resolve(connection);
    await clock.advance(1_000);
    expect(isStopped).toBe(false);
    gone.resolve();
    await stopping;
  });

  it('does not wait for ever for what does not end when it is stopped', async () => {
    const { supervisor, clock } = supervise(() => new Promise(() => {}));
    void supervisor.attempt();
    await clock.advance(0);
    const stopping = supervisor.stop();
    await clock.advance(10_000);
    await stopping;
    expect(clock.waiting).toBe(0);
  });

  it('tells a server that answers wrongly from one that is away', async () => {
    const codes = [
      'UPSTREAM_PROTOCOL',
      'CONFIG_INVALID',
      'UPSTREAM_TIMEOUT',
      'UPSTREAM_UNAVAILABLE',
    ] as const;
    const seen = [];
    for (const code of codes) {
      const { supervisor } = supervise(async () => {
        throw new GatewayError(code, 'no');
      });
      await supervisor.attempt();
      const { state } = supervisor;
      seen.push([state.is, 'retryAt' in state && state.retryAt !== undefined]);
    }
    expect(seen).toEqual([
      ['error', true],
      ['error', false],
      ['offline', true],
      ['offline', true],
    ]);
  });

  it('does not start a server that does harm over and over', async () => {
    const { supervisor, clock } = supervise(async () => createConnection().connection, 0);
    for (let harm = 0; harm < 5; harm++) {
      await supervisor.attempt();
      supervisor.end('it took 900 MB, over its limit of 500 MB');
      await clock.advance(0);
    }
    expect(supervisor.state).toMatchObject({
      is: 'failed',
      reason: 'x: was ended, since it took 900 MB, over its limit of 500 MB',
    });
    expect(supervisor.restarts).toBe(5);
  });
});

import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import type { CloseReason } from '../wire/channel.ts';
import { RESTART_LIMITS, toBackoffMs } from './backoff.ts';
import { createDeferred } from './deferred.ts';
import { createSupervisor } from './supervisor.ts';
import type { Connection } from './upstream.ts';

function supervise(connect: (signal: AbortSignal) => Promise<Connection>, random = 0.999) {
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
    welcome: async () => {},
    onState: (state) => states.push(state.is),
    onDue: () => void supervisor.attempt(),
  });
  return { supervisor, clock, states, attempts: () => attempts };
}

function createConnection(): { connection: Connection; die(): void } {
  const closed = createDeferred<CloseReason>();
  const connection = {
    closed: closed.promise,
    async [Symbol.asyncDispose]() {},
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
    expect(supervisor.state).toMatchObject({ is: 'offline', reason: 'x: was ended by SIGKILL' });
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
    expect(supervisor.state).toMatchObject({ is: 'offline', retryAt: clock.now() + 499 });
  });

  it('stops waiting when the caller does', async () => {
    const { supervisor } = supervise(() => new Promise(() => {}));
    const controller = new AbortController();
    const call = supervisor.connection(controller.signal);
    controller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
  });
});

describe('the back-off', () => {
  it('doubles up to its cap, with full jitter', () => {
    const ceilings = [0, 1, 2, 3, 8, 50].map((failures) => toBackoffMs(failures, RESTART_LIMITS, 1));
    expect(ceilings).toEqual([0, 500, 1_000, 2_000, 60_000, 60_000]);
    expect(toBackoffMs(5, RESTART_LIMITS, 0)).toBe(0);
  });
});

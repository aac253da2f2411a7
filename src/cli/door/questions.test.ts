import { describe, expect, it } from 'vitest';
import { createFakeUpstreams } from '../../../test/support/fake-upstreams.ts';
import { toStillStatus } from '../../upstream/status.ts';
import type { Upstream, UpstreamState } from '../../upstream/upstream.ts';
import { answerQuestion } from './questions.ts';

const ONLINE: UpstreamState = { is: 'online', since: 0 };

/** Servers in the given states; what is restarted is noted. */
function setUp(states: Readonly<Record<string, UpstreamState>>, scopes = 0) {
  const ids = Object.keys(states);
  const upstreams = createFakeUpstreams(Object.fromEntries(ids.map((id) => [id, { tools: ['x'] }])));
  const steps: string[] = [];
  const become = (id: string, state: UpstreamState) => {
    const one = upstreams.all.find(({ config }) => config.id === id) as Upstream;
    const restart = async () => void steps.push(`restart ${id}`);
    Object.assign(one, { state, restart, status: async () => ({ ...toStillStatus(state, 0), scopes }) });
  };
  for (const id of ids) become(id, states[id] as UpstreamState);
  return { gateway: { upstreams, refresh: async () => void steps.push('refresh') }, steps, become };
}

describe('a process that is asked to restart a server', () => {
  it('reads kept values anew before, and not for a mere question', async () => {
    const { gateway, steps } = setUp({ a: ONLINE, b: ONLINE });
    expect((await answerQuestion({ ask: 'status' }, gateway)).servers).toHaveLength(2);
    expect(steps).toEqual([]);
    const { servers } = await answerQuestion({ ask: 'restart', upstream: 'a' }, gateway);
    expect(servers).toMatchObject([{ id: 'a', did: 'restarted' }]);
    expect(steps).toEqual(['refresh', 'restart a']);
  });

  it('leaves it alone where it rests, and says so', async () => {
    const states = {
      idle: { is: 'idle' },
      lacks: { is: 'awaiting_config', missing: 'KEY' },
      up: ONLINE,
    } as const;
    const { gateway, steps } = setUp(states);
    const { servers } = await answerQuestion({ ask: 'restart' }, gateway);
    expect(steps).toEqual(['refresh', 'restart up']);
    expect(servers.map(({ id, did }) => [id, did])).toEqual([
      ['idle', 'left'],
      ['lacks', 'left'],
      ['up', 'restarted'],
    ]);
    expect((await answerQuestion({ ask: 'status' }, gateway)).servers[0]).not.toHaveProperty('did');
  });

  it('restarts one that only rests because its values were just read anew', async () => {
    const { gateway, steps, become } = setUp({ a: ONLINE });
    const refresh = async () => become('a', { is: 'idle' });
    expect((await answerQuestion({ ask: 'restart' }, { ...gateway, refresh })).servers).toMatchObject([
      { did: 'restarted' },
    ]);
    expect(steps).toEqual(['restart a']);
  });

  it('says what one lacks that ran before its values were read anew', async () => {
    const { gateway, steps, become } = setUp({ a: ONLINE });
    const refresh = async () => become('a', { is: 'awaiting_config', missing: 'KEY' });
    expect((await answerQuestion({ ask: 'restart' }, { ...gateway, refresh })).servers).toMatchObject([
      { state: 'awaiting_config', did: 'left' },
    ]);
    expect(steps).toEqual([]);
  });

  it('restarts one that runs for single clients only', async () => {
    const { gateway, steps } = setUp({ a: { is: 'idle' } }, 2);
    await answerQuestion({ ask: 'restart' }, gateway);
    expect(steps).toEqual(['refresh', 'restart a']);
  });
});

it('tells of a server that runs for single clients only', async () => {
  const { gateway } = setUp({ a: { is: 'idle' } }, 2);
  expect((await answerQuestion({ ask: 'status' }, gateway)).servers).toMatchObject([
    { state: 'idle', scopes: 2, says: 'runs for single clients only (2)' },
  ]);
  const both = setUp({ a: ONLINE }, 2);
  expect((await answerQuestion({ ask: 'status' }, both.gateway)).servers).toMatchObject([
    { scopes: 2, says: 'is running' },
  ]);
});

it('sends what servers wrote to stderr only to whoever asks for it', async () => {
  const upstreams = createFakeUpstreams({ a: { tools: ['x'] } });
  const [one] = upstreams.all;
  if (!one) throw new Error('there is no server');
  const { status } = one;
  Object.assign(one, { status: async () => ({ ...(await status()), stderr: ['a line'] }) });
  const gateway = { upstreams, refresh: async () => {} };
  const ask = async (more: object) => (await answerQuestion({ ask: 'status', ...more }, gateway)).servers;
  expect(await ask({})).toMatchObject([{ stderr: [] }]);
  expect(await ask({ stderr: true })).toMatchObject([{ stderr: ['a line'] }]);
});

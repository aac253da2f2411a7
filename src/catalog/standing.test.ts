import { describe, expect, it } from 'vitest';
import type { UpstreamConfig, UpstreamState } from '../upstream/upstream.ts';
import { toStanding } from './standing.ts';

const config = { kind: 'stdio' } as UpstreamConfig;
const standing = (state: UpstreamState) => toStanding({ config, state }, 10_000);

describe('how an upstream stands', () => {
  it('needs no words where a call just works', () => {
    for (const state of [{ is: 'idle' }, { is: 'online', since: 0 }] as const)
      expect(standing(state)).toEqual({ usable: true, state: state.is, advice: '', transport: 'stdio' });
  });

  it('is told with what comes next where a call has to wait or cannot succeed', () => {
    expect(standing({ is: 'connecting', since: 0 })).toMatchObject({
      usable: true,
      advice: 'is starting, for 10 s; a call waits for it',
    });
    expect(standing({ is: 'offline', reason: 'no answer', retryAt: 30_000 })).toMatchObject({
      usable: false,
      advice: 'is offline (no answer); it is tried again by itself in 20 s',
    });
  });

  it('is known also of one that is gone', () => {
    expect(toStanding(undefined)).toMatchObject({ usable: false, state: 'gone' });
  });
});

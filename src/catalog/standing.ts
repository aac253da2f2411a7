/** How an upstream stands, for those who would use it; what each state means is told by the table of states. */
import { systemClock } from '../lib/clock.ts';
import { STATES, sayState } from '../upstream/states.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { Standing } from './catalog.ts';

/** How an upstream stands; one that is gone is not usable. */
export function toStanding(
  upstream: Pick<Upstream, 'state' | 'config'> | undefined,
  now: number = systemClock.now(),
): Standing {
  if (!upstream)
    return { usable: false, state: 'gone', advice: 'is no longer configured', transport: 'none' };
  const { state, config } = upstream;
  const isWell = state.is === 'idle' || state.is === 'online';
  return {
    usable: STATES[state.is].callable,
    state: state.is,
    advice: isWell ? '' : sayState(state, now),
    transport: config.kind,
  };
}

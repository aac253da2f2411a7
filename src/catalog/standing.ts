/** One table: what each state of an upstream means for those who would use it. */
import type { Upstream, UpstreamState } from '../upstream/upstream.ts';
import type { Standing } from './catalog.ts';

type StateName = UpstreamState['is'];

/** Whether a call may succeed in a state, and what to do when not. */
const STATES: Readonly<
  Record<StateName, { readonly usable: boolean; advise(state: UpstreamState): string }>
> = {
  idle: { usable: true, advise: () => '' },
  online: { usable: true, advise: () => '' },
  connecting: { usable: true, advise: () => 'is starting; a call waits for it' },
  discovering: { usable: true, advise: () => 'is starting; a call waits for it' },
  offline: {
    usable: false,
    advise: (state) => `is offline (${reasonOf(state)}); it is tried again by itself`,
  },
  needs_auth: { usable: false, advise: (state) => `needs a login (${reasonOf(state)})` },
  awaiting_config: {
    usable: false,
    advise: (state) => `is not fully configured; set ${'missing' in state ? state.missing : 'what it lacks'}`,
  },
  disabled: { usable: false, advise: () => 'is switched off; enable it in the configuration' },
};

/** How an upstream stands; one that is gone is not usable. */
export function toStanding(upstream: Upstream | undefined): Standing {
  if (!upstream)
    return { usable: false, state: 'gone', advice: 'is no longer configured', transport: 'none' };
  const { state, config } = upstream;
  const { usable, advise } = STATES[state.is];
  return { usable, state: state.is, advice: advise(state), transport: config.kind };
}

function reasonOf(state: UpstreamState): string {
  return 'reason' in state ? state.reason : state.is;
}

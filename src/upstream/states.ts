/** One table: every state of an upstream, what it means to those who would use it, and where it can go from there. */
import type { UpstreamState } from './upstream.ts';

/** The name of a state. */
export type StateName = UpstreamState['is'];

/** What can happen to an upstream. */
export type Move =
  /** An attempt to open the link begins. */
  | 'start'
  /** The server has answered our greeting. */
  | 'greet'
  /** Its lists are known. */
  | 'welcome'
  /** Nobody used it, and its link was closed. */
  | 'rest'
  /** A live link ended by itself. */
  | 'lose'
  /** A person has it started anew. */
  | 'restart'
  /** An attempt did not reach it. */
  | 'miss'
  /** It was reached, but not understood. */
  | 'confuse'
  /** It asks for a login. */
  | 'refuse'
  /** It has ended too often. */
  | 'trip';

/** One state: what follows from it for discovery, for calls and for people. */
export interface StateRow {
  /** Whether discovery shows what it offers without a warning. */
  readonly discoverable: boolean;
  /** Whether a call may succeed. */
  readonly callable: boolean;
  /** Whether a person has nothing to do about it: it works, is on its way by itself, or is off because they wished so. */
  readonly well: boolean;
  /** Whether nothing of it runs and nothing should: there is nothing a restart could mend. */
  readonly resting: boolean;
  /** How it stands, as the end of a sentence that begins with its name. */
  explain(state: UpstreamState, now: number): string;
  /** What happens by itself or has to be done; empty when nothing. */
  next(state: UpstreamState, now: number): string;
  readonly moves: Readonly<Partial<Record<Move, StateName>>>;
}

const quiet = () => '';
const seconds = (ms: number) => `${Math.max(0, Math.round(ms / 1000))} s`;
const reasonOf = (state: UpstreamState) => ('reason' in state ? state.reason : state.is);
const starting = (state: UpstreamState, now: number) =>
  `is starting${'since' in state ? `, for ${seconds(now - state.since)}` : ''}`;
const waiting = () => 'a call waits for it';

function retrying(state: UpstreamState, now: number): string {
  const at = 'retryAt' in state ? state.retryAt : undefined;
  if (at === undefined) return 'change its configuration';
  const left = seconds(at - now);
  return left === '0 s' ? 'it is being tried again now' : `it is tried again by itself in ${left}`;
}

/** Where an attempt that has begun can end. */
const ENDS = {
  miss: 'offline',
  confuse: 'error',
  refuse: 'needs_auth',
  trip: 'failed',
  restart: 'restarting',
} as const;
const AGAIN = { start: 'connecting', restart: 'restarting' } as const;

/** The table; a state without moves is left only by a change of the configuration. */
export const STATES: Readonly<Record<StateName, StateRow>> = {
  awaiting_config: {
    discoverable: false,
    callable: false,
    well: false,
    resting: true,
    explain: () => 'is not fully configured',
    next: (state) => `set ${'missing' in state ? state.missing : 'what it lacks'}`,
    moves: {},
  },
  disabled: {
    discoverable: false,
    callable: false,
    well: true,
    resting: true,
    explain: () => 'is switched off',
    next: () => 'enable it in the configuration',
    moves: {},
  },
  idle: {
    discoverable: true,
    callable: true,
    well: true,
    resting: true,
    explain: () => 'is not running',
    next: () => 'a call starts it',
    moves: AGAIN,
  },
  connecting: {
    discoverable: true,
    callable: true,
    well: true,
    resting: false,
    explain: starting,
    next: waiting,
    moves: { greet: 'discovering', ...ENDS },
  },
  discovering: {
    discoverable: true,
    callable: true,
    well: true,
    resting: false,
    explain: starting,
    next: waiting,
    moves: { welcome: 'online', ...ENDS },
  },
  online: {
    discoverable: true,
    callable: true,
    well: true,
    resting: false,
    explain: () => 'is running',
    next: quiet,
    moves: { rest: 'idle', lose: 'restarting', miss: 'offline', trip: 'failed', restart: 'restarting' },
  },
  restarting: {
    discoverable: true,
    callable: true,
    well: true,
    resting: false,
    explain: (state) => `is being started again (${reasonOf(state)})`,
    next: waiting,
    moves: AGAIN,
  },
  offline: {
    discoverable: false,
    callable: false,
    well: false,
    resting: false,
    explain: (state) => `is offline (${reasonOf(state)})`,
    next: retrying,
    moves: AGAIN,
  },
  error: {
    discoverable: false,
    callable: false,
    well: false,
    resting: false,
    explain: (state) => `cannot be understood (${reasonOf(state)})`,
    next: retrying,
    moves: AGAIN,
  },
  needs_auth: {
    discoverable: false,
    callable: false,
    well: false,
    resting: false,
    explain: (state) => `needs a login (${reasonOf(state)})`,
    next: () => 'log in to it',
    moves: AGAIN,
  },
  failed: {
    discoverable: false,
    callable: false,
    well: false,
    resting: false,
    explain: (state) => `ends again and again (${reasonOf(state)})`,
    next: (state, now) =>
      `fix the cause (thimble logs <server>), then: thimble restart <server>; ${retrying(state, now)}`,
    moves: AGAIN,
  },
};

/** The row of a state by a name that came from elsewhere, such as another process; undefined when there is none. */
export function findState(name: string): StateRow | undefined {
  return Object.hasOwn(STATES, name) ? STATES[name as StateName] : undefined;
}

/** Where a move leads; undefined when the table has no such move. */
export function toNextState(from: StateName, move: Move): StateName | undefined {
  return STATES[from].moves[move];
}

/** How an upstream stands and what comes next, as one sentence that begins with its name. */
export function sayState(state: UpstreamState, now: number): string {
  const { explain, next } = STATES[state.is];
  const advice = next(state, now);
  return advice === '' ? explain(state, now) : `${explain(state, now)}; ${advice}`;
}

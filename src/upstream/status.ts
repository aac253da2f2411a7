/** What is kept of a running upstream for people: its last error, its last words, its figures. */
import type { Clock } from '../lib/clock.ts';
import type { Bulkhead } from './bulkhead.ts';
import type { GroupMeter } from './group-meter.ts';
import { type Move, sayState } from './states.ts';
import type { Supervisor } from './supervisor.ts';
import type { LinkNotes, UpstreamState, UpstreamStatus } from './upstream.ts';
import type { Usage } from './usage.ts';

/** What a status is read from. */
export interface StatusParts {
  readonly supervisor: Pick<Supervisor, 'state' | 'restarts'>;
  readonly usage: Pick<Usage, 'total'>;
  readonly bulkhead: Pick<Bulkhead, 'running' | 'queued'>;
  readonly meter: GroupMeter;
  readonly clock: Clock;
}

/** The notes of one instance. */
export interface StatusBook {
  /** What the latest link saw. */
  readonly notes: LinkNotes;
  /** Takes the words of a new link; the last ones of the one before are kept. */
  follow(notes: () => LinkNotes): void;
  /** Remembers what went wrong; what a person wished is none of it. */
  heard(state: UpstreamState, move: Move): void;
  read(parts: StatusParts): Promise<UpstreamStatus>;
}

const NO_NOTES: LinkNotes = { badLines: 0, stderr: [], pid: undefined };
const EARLIER_LINES = 100;
const MAX_LINES = 200;

/** The status of what does not run. */
export function toStillStatus(state: UpstreamState, now: number): UpstreamStatus {
  return {
    state,
    says: sayState(state, now),
    pid: undefined,
    uptimeMs: undefined,
    calls: 0,
    running: 0,
    queued: 0,
    restarts: 0,
    memoryBytes: undefined,
    lastError: undefined,
    stderr: [],
    badLines: 0,
    scopes: 0,
  };
}

/** Creates an empty book. */
export function createStatusBook(clock: Clock): StatusBook {
  let current: (() => LinkNotes) | undefined;
  let earlier: readonly string[] = [];
  let failure: { readonly message: string; readonly at: number } | undefined;
  const read = () => current?.() ?? NO_NOTES;
  return {
    get notes() {
      return read();
    },
    follow(notes) {
      earlier = [...earlier, ...read().stderr].slice(-EARLIER_LINES);
      current = notes;
    },
    heard(state, move) {
      if ('reason' in state && move !== 'restart') failure = { message: state.reason, at: clock.now() };
    },
    async read({ supervisor, usage, bulkhead, meter }) {
      const { state, restarts } = supervisor;
      const { pid, stderr, badLines } = read();
      const isRunning = 'since' in state && pid !== undefined;
      const memoryBytes = isRunning ? await meter.memoryOf(pid) : undefined;
      const now = clock.now();
      return {
        ...toStillStatus(state, now),
        pid: isRunning ? pid : undefined,
        uptimeMs: state.is === 'online' ? now - state.since : undefined,
        calls: usage.total,
        running: bulkhead.running,
        queued: bulkhead.queued,
        restarts,
        memoryBytes,
        lastError: failure && { message: failure.message, agoMs: now - failure.at },
        stderr: [...earlier, ...stderr].slice(-MAX_LINES),
        badLines,
      };
    },
  };
}

/** Looks now and then whether somebody has logged in, while that is all a server waits for. */
import type { CancelTimer, Clock } from '../../lib/clock.ts';
import type { Credentials } from './credentials.ts';

/** What a watch needs. */
export interface LoginWatchOptions {
  /** Undefined where no login is possible: then there is nothing to watch. */
  readonly credentials: Credentials | undefined;
  readonly clock: Clock;
  /** There is a login that was not tried yet. */
  onLogin(): void;
}

/** A watch for one upstream. */
export interface LoginWatch {
  /** Starts or ends to look, as the state of the upstream is. */
  follow(state: string): void;
  /** True when there is a login that was not tried yet. */
  look(): Promise<boolean>;
  stop(): void;
}

const LOOK_MS = 5_000;

/** Creates a watch that rests until a login is needed. */
export function createLoginWatch({ credentials, clock, onLogin }: LoginWatchOptions): LoginWatch {
  let cancel: CancelTimer | undefined;
  // A store that cannot be read now is looked into again.
  const look = async () => (await credentials?.hasUntried().catch(() => false)) === true;
  const stop = () => {
    cancel?.();
    cancel = undefined;
  };
  const wait = () => {
    const timer = clock.after(LOOK_MS, async () => {
      const found = await look();
      if (cancel !== timer) return;
      if (found) onLogin();
      else wait();
    });
    cancel = timer;
  };
  return {
    follow(state) {
      stop();
      if (credentials && state === 'needs_auth') wait();
    },
    look,
    stop,
  };
}

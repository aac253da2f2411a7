/** What lately happened that may have changed what clients are shown. */
import type { Now } from '../lib/clock.ts';

/** A short memory of causes. */
export interface Causes {
  note(cause: string): void;
  /** The causes after a moment, in words. */
  since(moment: number): string;
}

const MAX_KEPT = 100;
const MAX_TOLD = 5;
const UNKNOWN = 'something changed while this client was away';

/** Creates an empty memory. */
export function createCauses(now: Now): Causes {
  const kept: { readonly at: number; readonly cause: string }[] = [];
  return {
    note(cause) {
      kept.push({ at: now(), cause });
      if (kept.length > MAX_KEPT) kept.shift();
    },
    since(moment) {
      const causes = [...new Set(kept.filter(({ at }) => at >= moment).map(({ cause }) => cause))];
      const rest = causes.length > MAX_TOLD ? ` and ${causes.length - MAX_TOLD} more` : '';
      return causes.length === 0 ? UNKNOWN : `${causes.slice(0, MAX_TOLD).join(', ')}${rest}`;
    },
  };
}

/** What a check of the doctor is, and what it found. */
import type { House } from '../../house.ts';

/** How bad it is: nothing, worth knowing, or in the way. */
export type Verdict = 'ok' | 'warn' | 'bad';

/** What one check found. */
export interface Finding {
  /** What was looked at, in a word or two. */
  readonly about: string;
  readonly verdict: Verdict;
  /** What was found; holds no secret. */
  readonly says: string;
  /** What to do about it. */
  readonly fix?: string;
}

/** Looks at one thing; what it throws is reported in its place. */
export interface Check {
  readonly about: string;
  look(house: House): Promise<readonly Finding[]>;
}

/** All is well. */
export const ok = (about: string, says: string): Finding => ({ about, verdict: 'ok', says });

/** Worth knowing, and what to do about it. */
export const warn = (about: string, says: string, fix: string): Finding => ({
  about,
  verdict: 'warn',
  says,
  fix,
});

/** In the way, and what to do about it. */
export const bad = (about: string, says: string, fix: string): Finding => ({
  about,
  verdict: 'bad',
  says,
  fix,
});

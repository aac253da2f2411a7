/** Patterns that servers write, matched only as far as they cannot hold everybody up. */

/** What is longer is matched against no pattern at all. */
const MAX_MATCHED = 2_000;
/** How many ways to match may be tried: a few hundredths of a second. */
const MAX_WAYS = 4_000_000;
/** A repeat bounded beyond this is as good as unbounded. */
const MAX_REPEATS = 100;

/** A pattern that takes every text it could not judge in time; the server judges those for itself. */
export function toBoundedPattern(pattern: string, flags: string): RegExp {
  const longest = findLongest(pattern);
  return longest > 0 ? new BoundedPattern(pattern, flags, longest) : /(?:)/;
}

/** False for a pattern that is not matched at all. */
export function isBounded(pattern: string): boolean {
  return findLongest(pattern) > 0;
}

class BoundedPattern extends RegExp {
  readonly #longest: number;

  constructor(pattern: string, flags: string, longest: number) {
    super(pattern, flags);
    this.#longest = longest;
  }

  override test(text: string): boolean {
    return text.length > this.#longest || super.test(text);
  }
}

/** The length of text up to which a pattern is done in time whatever the text; 0 when no length is safe. */
function findLongest(pattern: string): number {
  const plain = withoutLiterals(pattern);
  // Repeats of repeats and references to what was matched grow faster than any length would bound.
  if (/\)[*+{?]/.test(plain) || plain.includes(REFERENCE)) return 0;
  const repeats = [...plain.matchAll(/([*+]|\{\d+(?:,\d*)?\}|\?)\??/g)].map(([, sign = '']) =>
    toRepeats(sign),
  );
  const isAnchored = plain.startsWith('^') && !plain.includes('|');
  const unbounded = repeats.filter((most) => most > MAX_REPEATS).length + (isAnchored ? 0 : 1);
  const branches = plain.split(/[()]/).map((part) => part.split('|').length);
  const ways = [...repeats.filter((most) => most <= MAX_REPEATS), ...branches].reduce((a, b) => a * b, 1);
  if (unbounded === 0) return ways <= MAX_WAYS ? MAX_MATCHED : 0;
  return Math.min(MAX_MATCHED, Math.floor((MAX_WAYS / ways) ** (1 / unbounded)));
}

const REFERENCE = '\0';

/** Only what says how often and what else: escapes and classes become a letter each. */
function withoutLiterals(pattern: string): string {
  return pattern
    .replace(/\\(.)/gs, (_escape, letter: string) => (/[1-9k]/.test(letter) ? REFERENCE : 'x'))
    .replace(/\[[^\]]*\]/g, 'x')
    .replaceAll('(?', '(');
}

/** In how many ways a repeat can be taken at most. */
function toRepeats(sign: string): number {
  if (sign === '?') return 2;
  const [, low, high] = /^\{(\d+)(,\d*)?\}$/.exec(sign) ?? [];
  if (low === undefined || high === ',') return Number.POSITIVE_INFINITY;
  return Math.max(1, Number(high === undefined ? low : high.slice(1)));
}

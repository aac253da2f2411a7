/** Takes values that were handed to a program out of what that program says: logs and errors must not repeat a secret. */

/** Shorter ones are words more often than secrets. */
const MIN_LENGTH = 8;
const PLACE = /^([/~.]|[A-Za-z]:[\\/]|https?:\/\/[^@\s]*$)/;

/** Makes the function; places and plain words are left, since what is said of them helps. */
export function createHide(values: Iterable<string>): (text: string) => string {
  const hidden = [...new Set(values)].filter(isTelling).sort((a, b) => b.length - a.length);
  if (hidden.length === 0) return (text) => text;
  return (text) => hidden.reduce((rest, value) => rest.replaceAll(value, '(hidden)'), text);
}

function isTelling(value: string): boolean {
  return value.length >= MIN_LENGTH && !PLACE.test(value) && !/^[a-z ,.-]+$/i.test(value);
}

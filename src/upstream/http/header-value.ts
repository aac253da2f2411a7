/** Header values of the modern era: plain where they can be, else in the base64 sentinel of the specification. */

const PLAIN = /^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/;
const SENTINEL = /^=\?base64\?.*\?=$/;

/** Encodes text so that it survives as a header value ("Value Encoding"). */
export function toHeaderValue(text: string): string {
  if (text === '' || (PLAIN.test(text) && !SENTINEL.test(text))) return text;
  return `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`;
}

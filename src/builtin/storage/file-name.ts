/** File names as they were given become names that are safe in a header and on a disk. */

/** Ends of lines, separators of paths, and marks that turn the direction of writing and so hide an ending. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069/\\:*?"<>|]/g;
const KEPT_BYTES = /[A-Za-z0-9!#$&+.^_`|~-]/;

/** The name without what could mislead, or `file` when nothing else is left. */
export function toSafeName(name: string): string {
  const safe = name
    .replace(UNSAFE, '_')
    .replace(/^[\s.]+|[\s.]+$/g, '')
    .slice(0, 150);
  return safe === '' ? 'file' : safe;
}

/** The Content-Disposition of a download: always an attachment, with the name in both spellings. */
export function toDisposition(name: string): string {
  const safe = toSafeName(name);
  const ascii = safe.replace(/[^\x20-\x7e]/g, '_').replace(/%/g, '_');
  return `attachment; filename="${ascii}"; filename*=UTF-8''${toPercent(safe)}`;
}

/** Percent-encodes by bytes, so that half a surrogate pair is no fault. */
function toPercent(text: string): string {
  return [...Buffer.from(text, 'utf8')]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      return KEPT_BYTES.test(letter) ? letter : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

/** Recognises entries that start this very program: a gateway in front of itself would never end. */

/** True for an entry that starts a Thimble, whichever one wrote it. */
export function startsThimble({
  command,
  args,
}: {
  readonly command?: unknown;
  readonly args?: unknown;
}): boolean {
  const words = [command, ...(Array.isArray(args) ? args : [])].map(String);
  const isOurs = words.some(
    (word) => /(^|[\\/])thimble(\.(cmd|exe))?$/.test(word) || /thimble[\\/]dist[\\/]main\.js$/.test(word),
  );
  const speaks = words.includes('stdio') || words.includes('run');
  return speaks && (isOurs || words.some((word) => /[\\/]dist[\\/]main\.js$/.test(word)));
}

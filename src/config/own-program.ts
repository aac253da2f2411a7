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
  if (!words.includes('stdio') && !words.includes('run')) return false;
  const isNamedSo = words.some((word) => /(^|[\\/])thimble(\.(cmd|exe)|[\\/]dist[\\/]main\.js)?$/.test(word));
  // A clone may be called anything; the entries we write always name the configuration.
  return (
    isNamedSo || (words.includes('--config') && words.some((word) => /[\\/]dist[\\/]main\.js$/.test(word)))
  );
}

/** Sizes in bytes, and as people read them. */

/** As the configuration counts. */
export const MEGABYTE = 1024 * 1024;

/** A size as people read it. */
export function toSizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < MEGABYTE) return `${trim(bytes / 1024)} KB`;
  if (bytes < 1024 * MEGABYTE) return `${trim(bytes / MEGABYTE)} MB`;
  return `${trim(bytes / MEGABYTE / 1024)} GB`;
}

function trim(value: number): string {
  return value.toFixed(1).replace(/\.0$/, '');
}

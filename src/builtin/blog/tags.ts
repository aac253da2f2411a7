/** Tags: written with commas, compared without regard to case. */

/** One tag. */
export interface Tag {
  /** What it is compared by, and the end of its address. */
  readonly key: string;
  /** As it was first written. */
  readonly name: string;
}

/** The distinct tags of a text. */
export function parseTags(text: string): readonly Tag[] {
  const tags = new Map<string, Tag>();
  for (const part of text.split(/[,，、;\n\r]/u)) {
    const name = part
      .replaceAll(/\s+/gu, ' ')
      .trim()
      .replace(/^#+(?=.)/u, '');
    const key = toTagKey(name);
    // A path that ends in dots only is another path to every browser.
    if (!/^\.*$/.test(key) && !tags.has(key)) tags.set(key, { key, name });
  }
  return [...tags.values()];
}

/** What a tag is compared by. */
export function toTagKey(name: string): string {
  return name.normalize('NFKC').toLowerCase().trim();
}

/** The tags as they are kept beside a post, or nothing. */
export function toTagText(tags: readonly Tag[]): string | null {
  return tags.length === 0 ? null : tags.map(({ name }) => name).join(', ');
}

/** The prefix of the gateway's own names: how it is put in front, and that it may be left out or added. */

/** A name of ours under a namespace. */
export function toOwnName(namespace: string, word: string): string {
  return `${namespace}_${word}`;
}

/** The rest of a name that begins with the namespace; undefined when it does not. */
export function withoutPrefix(name: string, namespace: string): string | undefined {
  const prefix = `${namespace}_`;
  return name.startsWith(prefix) && name.length > prefix.length ? name.slice(prefix.length) : undefined;
}

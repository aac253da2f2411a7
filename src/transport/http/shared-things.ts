/** What goes on by shares, and ends with them. */

/** Something a client has under way. */
export interface Shared {
  /** The share it came in by; undefined where it came by none. */
  readonly share: string | undefined;
}

/** Ends what goes on by shares that are over; true when something by others is left. */
export function endShares<Thing extends Shared>(
  things: Iterable<Thing>,
  isOver: (share: string) => boolean,
  end: (thing: Thing) => void,
): boolean {
  const shared = [...things].filter(({ share }) => share !== undefined);
  const over = shared.filter(({ share = '' }) => isOver(share));
  for (const thing of over) end(thing);
  return over.length < shared.length;
}

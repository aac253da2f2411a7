/** What the conversations of one gateway share: made on first use, one of each name. */

/** Creates an empty table; see ModePorts. */
export function createShared(): <Value>(name: string, create: () => Value) => Value {
  const made = new Map<string, unknown>();
  return <Value>(name: string, create: () => Value): Value => {
    if (!made.has(name)) made.set(name, create());
    // Whoever knows a name made what is under it.
    return made.get(name) as Value;
  };
}

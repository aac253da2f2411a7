/** Measures lists of tools: what was measured lately is known again by its definitions, without making a text of it. */
import { setImmediate } from 'node:timers/promises';
import type { TokenCount } from '../exposure/ports.ts';
import { toDigest } from '../model/ids.ts';
import type { Definition } from '../model/mcp.ts';

/** What the account needs to know of a list. */
export interface ListMeasure {
  readonly digest: string;
  readonly tokens: number;
}

const DIGEST_LENGTH = 24;
/** As many different surfaces as are commonly in use at a time. */
const MAX_KNOWN = 16;

/** Creates the measure; it remembers the lists used last. */
export function createListMeasure(
  tokens: TokenCount,
): (tools: readonly Definition[]) => Promise<ListMeasure> {
  let known: readonly { readonly tools: readonly Definition[]; readonly measure: ListMeasure }[] = [];
  return async (tools) => {
    const found = known.find((each) => isSameList(each.tools, tools));
    const used = found ?? { tools, measure: await measure(tools, tokens) };
    if (used !== known[0]) known = [used, ...known.filter((each) => each !== used)].slice(0, MAX_KNOWN);
    return used.measure;
  };
}

/** True when two lists have the very same definitions, which snapshots share. */
export function isSameList(a: readonly Definition[], b: readonly Definition[]): boolean {
  return a === b || (a.length === b.length && a.every((definition, at) => definition === b[at]));
}

async function measure(tools: readonly Definition[], tokens: TokenCount): Promise<ListMeasure> {
  // List by list, so that nobody else waits for all of them.
  await setImmediate();
  const text = JSON.stringify({ tools });
  return { digest: toDigest(text, DIGEST_LENGTH), tokens: await tokens.count(text) };
}

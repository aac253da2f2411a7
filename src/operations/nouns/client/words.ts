/** Small phrases that answers about clients share. */

import type { Gathered, Gathering } from '../../intake/gather-once.ts';
import { toEntryLine } from '../../shown/describe-entry.ts';
import { toName } from '../../shown/quote.ts';

/** What becomes of the servers that are taken over. */
const MAY_START =
  'A gateway that runs, or is started later, may start these servers when a client needs them.';

/** What became of one server of a client. */
export function toImportLine(gathered: Gathered): string {
  return `${toOutcome(gathered)}${toLost(gathered)}`;
}

function toOutcome({ client, server, result, as = server, reason, adds = [] }: Gathered): string {
  const from = `${toName(server)} (${client})`;
  if (result === 'skipped') return `${from}: left where it is: it ${reason}`;
  if (adds.length > 0)
    return `${from}: the same as ${toName(as)}, which gets ${adds.map(toName).join(', ')} of it`;
  if (result === 'known') return `${from}: configured already${as === server ? '' : ` as ${toName(as)}`}`;
  return `${from}: new${as === server ? '' : `, called ${toName(as)}`}`;
}

/** Names only: what they hold may be secret. */
function toLost({ leftOut = [] }: Gathered): string {
  return leftOut.length === 0 ? '' : `; left out: ${leftOut.map(toName).join(', ')}`;
}

/** What a person agrees to before servers are taken over: each with all it runs. */
export function toImportDetails({ gathered, entries }: Gathering): readonly string[] {
  const lines = gathered.flatMap((one) => {
    const entry = one.result === 'new' && one.as !== undefined ? entries.get(one.as) : undefined;
    if (!entry) return [`server ${toImportLine(one)}`];
    const given = gathered.flatMap(({ as, adds = [], client }) =>
      as === one.as ? adds.map((name) => `${toName(name)} of ${client}`) : [],
    );
    const also = given.length > 0 ? `; with ${given.join(', ')}` : '';
    const off = entry['enabled'] === false ? '; switched off' : '';
    return [`import ${toOutcome(one)}: ${toEntryLine(entry)}${also}${off}${toLost(one)}`];
  });
  return entries.size > 0 ? [...lines, MAY_START] : lines;
}

/** How clients that were connected are put back as they were. */
export function sayUndo([first = '<client>', ...others]: readonly string[]): string {
  const one = `thimble client disconnect ${first}`;
  return `Undo with: ${others.length === 0 ? one : `thimble init --undo (one client: ${one})`}`;
}

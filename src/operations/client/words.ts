/** Small phrases that answers about clients share. */
import type { Import } from './import-servers.ts';

/** What became of one server of a client. */
export function toImportLine({ client, server, result, as, reason }: Import): string {
  const from = `${server} (${client})`;
  if (result === 'skipped') return `${from}: left where it is, it ${reason}`;
  if (result === 'known') return `${from}: configured already${as === server ? '' : ` as ${as}`}`;
  return `${from}: new${as === server ? '' : `, called ${as}`}`;
}

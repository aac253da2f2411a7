/** Small phrases that answers about clients share. */
import type { Import } from './import-servers.ts';

/** `3 servers`, `1 server`. */
export function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}

/** Lines with their columns under one another. */
export function toColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const toLine = (row: readonly string[]) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ');
  return rows.map((row) => toLine(row).trimEnd()).join('\n');
}

/** What became of one server of a client. */
export function toImportLine({ client, server, result, as, reason }: Import): string {
  const from = `${server} (${client})`;
  if (result === 'skipped') return `${from}: left where it is, it ${reason}`;
  if (result === 'known') return `${from}: configured already${as === server ? '' : ` as ${as}`}`;
  return `${from}: new${as === server ? '' : `, called ${as}`}`;
}

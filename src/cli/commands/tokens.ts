/** `thimble tokens`: what the tools of this configuration cost in each mode, and what clients were given. */
import { GatewayError } from '../../errors/gateway-error.ts';
import { MODES } from '../../exposure/registry.ts';
import type { Gateway } from '../../gateway.ts';
import { type LedgerReport, readLedger } from '../../ledger/read.ts';
import { LOCAL_PRINCIPAL } from '../../model/principal.ts';
import { type Command, type CommandInput, JSON_OPTION, textOption } from '../command.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { GATEWAY_OPTIONS } from '../gateway/configured-gateway.ts';
import { openKnownGateway } from '../gateway/known-gateway.ts';
import { type Cost, countMode, countServers } from '../gateway/token-costs.ts';
import { toNumber, toTable } from '../output/table.ts';

interface Report {
  readonly servers: readonly Cost[];
  readonly modes: readonly Cost[];
  readonly ledger: LedgerReport;
}

const WINDOW = 200_000;
const DEFAULT_ROWS = 20;
const MAX_ROWS = 1_000;

/** Prints what is counted and what was kept. */
export const tokens: Command = {
  name: 'tokens',
  words: [],
  summary: 'what your tools cost in each mode, and what clients were given',
  options: [
    ...GATEWAY_OPTIONS,
    { flags: '--rows <number>', summary: `how many days and changes to show (${DEFAULT_ROWS})` },
    JSON_OPTION,
  ],
  examples: ['thimble tokens', 'thimble tokens --rows 100 --json'],
  async run(input, ports) {
    const rows = toRows(input);
    await using running = await openKnownGateway(input, ports);
    if (!running) return EXIT_CODES.stopped.code;
    const report = await toReport(running.gateway, rows);
    ports.print(input.options['json'] === true ? JSON.stringify(report, null, 2) : toPage(report));
    return EXIT_CODES.ok.code;
  },
};

function toRows(input: CommandInput): number {
  const text = textOption(input, 'rows') ?? String(DEFAULT_ROWS);
  const rows = Number(text);
  if (/^\d{1,4}$/.test(text) && rows >= 1 && rows <= MAX_ROWS) return rows;
  throw new GatewayError('INVALID_PARAMS', `--rows takes a number from 1 to ${MAX_ROWS}, not "${text}"`);
}

async function toReport(gateway: Gateway, rows: number): Promise<Report> {
  const modes = MODES.map(({ name }) => countMode(name, gateway));
  return {
    servers: await countServers(gateway),
    modes: await Promise.all(modes),
    ledger: await readLedger(gateway.store, LOCAL_PRINCIPAL.id, rows),
  };
}

function toPage({ servers, modes, ledger }: Report): string {
  const direct = modes.find(({ name }) => name === 'direct')?.tokens ?? 0;
  const sections = [
    toTable(
      ['server', 'tools', 'tokens'],
      servers.map(({ name, tools, tokens }) => [name, toNumber(tools), toNumber(tokens)]),
      ['left', 'right', 'right'],
    ),
    toTable(
      ['mode', 'tools', 'bytes', 'tokens', 'of 200k', 'saved'],
      modes.map((mode) => toModeRow(mode, direct)),
      ['left', 'right', 'right', 'right', 'right', 'right'],
    ),
    ...toLedgerSections(ledger),
  ];
  return sections.join('\n\n');
}

function toModeRow({ name, tools, bytes, tokens }: Cost, direct: number): string[] {
  const saved = direct === 0 ? '' : `${((1 - tokens / direct) * 100).toFixed(1)} %`;
  const share = `${((tokens / WINDOW) * 100).toFixed(2)} %`;
  return [name, toNumber(tools), toNumber(bytes), toNumber(tokens), share, name === 'direct' ? '' : saved];
}

function toLedgerSections({ days, changes }: LedgerReport): string[] {
  if (days.length === 0) return ['No client has been served from this home yet.'];
  const dayTable = toTable(
    ['day', 'client', 'endpoint', 'lists', 'tokens', 'searches', 'tokens', 'calls', 'tokens'],
    days.map((row) => [
      row.day,
      row.client,
      row.endpoint.trim(),
      ...[row.lists, row.listTokens, row.searches, row.searchTokens, row.calls, row.resultTokens].map(
        toNumber,
      ),
    ]),
    ['left', 'left', 'left', 'right', 'right', 'right', 'right', 'right', 'right'],
  );
  if (changes.length === 0) return [dayTable, 'No list of tools has changed for any client.'];
  const changeTable = toTable(
    ['changed', 'client', 'endpoint', 'tools', 'read again', 'because'],
    changes.map((row) => [
      row.at.slice(0, 19).replace('T', ' '),
      row.client,
      row.endpoint.trim(),
      `${row.tools_before} to ${row.tools_after}`,
      toNumber(row.tokens),
      row.cause,
    ]),
    ['left', 'left', 'left', 'right', 'right', 'left'],
  );
  return [dayTable, changeTable];
}

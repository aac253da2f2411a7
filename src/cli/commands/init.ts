/** `thimble init`: finds the AI clients of this machine, takes their servers over, and leaves one entry in each. */
import { GatewayError } from '../../errors/gateway-error.ts';
import type { JsonValue } from '../../model/json.ts';
import type { House } from '../../operations/house.ts';
import { LISTED, type ListedClient, list } from '../../operations/nouns/client/list.ts';
import { sayUndo } from '../../operations/nouns/client/words.ts';
import { findOperation } from '../../operations/nouns/registry.ts';
import { type Consent, performForPerson } from '../../operations/perform.ts';
import {
  type Command,
  type CommandInput,
  type CommandPorts,
  JSON_OPTION,
  printAnswer,
  textOption,
} from '../command.ts';
import { EXIT_CODES, toEndCode } from '../exit-codes.ts';
import { countCosts } from '../gateway/token-costs.ts';
import { openHouse, PLACE_OPTIONS } from '../house/open-house.ts';
import { stayAwake } from '../operations/stay-awake.ts';
import { createTerminalConsent, isYes, toPlanText } from '../operations/terminal-consent.ts';
import { toNumber, toTable } from '../output/table.ts';

/** Sets everything up, with a person watching. */
export const init: Command = {
  name: 'init',
  words: [],
  summary: 'find your AI clients, take their servers over, leave one entry in each',
  options: [
    { flags: '--client <keys>', summary: 'only these, with commas (all that are found)' },
    { flags: '--keep', summary: "leave the clients' own servers in them" },
    { flags: '--undo', summary: 'put the files of the clients back as they were' },
    { flags: '--no-tokens', summary: 'do not start the servers to count what they cost' },
    { flags: '--dry-run', summary: 'show what would be done, and do nothing' },
    { flags: '--yes', summary: 'do it without asking' },
    JSON_OPTION,
    ...PLACE_OPTIONS,
  ],
  examples: [
    'thimble init',
    'thimble init --dry-run',
    'thimble init --client cursor,codex',
    'thimble init --undo',
    'thimble init --undo --client cursor',
  ],
  async run(input, ports) {
    checkOptions(input);
    using _awake = stayAwake();
    await using house = await openHouse(input, ports, { mayMake: input.options['undo'] !== true });
    // Awaited here: the house is closed when this function returns.
    return await (input.options['undo'] === true ? undo(house, input, ports) : setUp(house, input, ports));
  },
};

/** What only setting up understands is not passed over in silence. */
function checkOptions({ options }: CommandInput): void {
  if (options['undo'] !== true) return;
  const other = options['keep'] === true ? '--keep' : options['tokens'] === false ? '--no-tokens' : undefined;
  if (other === undefined) return;
  throw new GatewayError(
    'INVALID_PARAMS',
    `--undo and ${other} do not go together: ${other} is for setting up; leave one of them out`,
  );
}

async function undo(house: House, input: CommandInput, ports: CommandPorts): Promise<number> {
  const { options } = input;
  const operation = await findOperation('client', 'disconnect');
  const args = { name: textOption(input, 'client') ?? 'all' };
  if (options['dryRun'] === true) {
    const plan = await operation.prepare(args).plan(house);
    printAnswer(input, ports, { plan: plan ?? null }, () => (plan ? toPlanText(plan) : NOTHING_TO_UNDO));
    return EXIT_CODES.ok.code;
  }
  const consent = toConsent(options, house, ports);
  const { output, text, succeeded } = await performForPerson(operation.prepare(args), house, consent);
  printAnswer(input, ports, output, () =>
    [text, 'Your servers stay in the configuration of Thimble as well.'].join('\n'),
  );
  return toEndCode(succeeded);
}

async function setUp(house: House, input: CommandInput, ports: CommandPorts): Promise<number> {
  const { options } = input;
  const quiet = options['json'] === true;
  const say = quiet ? () => {} : ports.print;
  const args = { client: textOption(input, 'client') ?? 'all', keep: options['keep'] === true };
  const operation = await findOperation('system', 'bootstrap');
  const clients = await listClients(house);
  say(toClientsText(clients));
  const plan = await operation.prepare(args).plan(house);
  if (options['dryRun'] === true) {
    ports.print(
      quiet ? JSON.stringify({ plan: plan ?? null }, null, 2) : plan ? `\n${toPlanText(plan)}` : NOTHING,
    );
    return EXIT_CODES.ok.code;
  }
  const consent = toBriefConsent(options, house, ports);
  const performed = await performForPerson(operation.prepare(args), house, consent);
  say(`\n${plan ? performed.text : toNothingText(performed.output['refused'])}`);
  const costs = await toCosts(input, ports);
  if (quiet) ports.print(JSON.stringify({ ...performed.output, tokens: costs ?? null }, null, 2));
  else if (costs) say(`\n${toCostText(costs)}`);
  // What was done says itself how it is undone.
  const connected = plan ? [] : clients.filter((client) => client.connected);
  if (connected.length > 0) say(`\n${sayUndo(connected.map(({ key }) => key))}`);
  return toEndCode(performed.succeeded);
}

const NOTHING_TO_UNDO = 'No client is connected; there is nothing to undo.';
const NOTHING = 'Everything is set up already; there is nothing to do.';

function toNothingText(refused: JsonValue | undefined): string {
  if (!Array.isArray(refused) || refused.length === 0) return NOTHING;
  const one = refused.length === 1;
  return `Nothing was done: ${refused.join(', ')} ${one ? 'was' : 'were'} left out, since ${one ? 'its file' : 'their files'} cannot be used; all else is set up already.`;
}

function toConsent(options: CommandInput['options'], house: House, { terminal }: CommandPorts): Consent {
  return createTerminalConsent({ terminal, agreed: options['yes'] === true, tell: house.tell });
}

/** Asks with the changes in few words; whoever wants to see them all may. */
function toBriefConsent(options: CommandInput['options'], house: House, ports: CommandPorts): Consent {
  const whole = toConsent(options, house, ports);
  const { terminal } = ports;
  if (!terminal || options['yes'] === true) return whole;
  return async (plan) => {
    const { summary, details } = plan;
    house.tell(`\n${toPlanText({ summary, details })}\n`);
    const answer = await terminal.ask('Do it? [y]es, [N]o, or [s]how every change first: ');
    return /^\s*s(how)?\s*$/i.test(answer) ? whole(plan) : isYes(answer) ? 'yes' : 'no';
  };
}

async function listClients(house: House): Promise<readonly ListedClient[]> {
  const { output } = await list.prepare({}).run(house);
  return LISTED.parse(output).clients;
}

function toClientsText(clients: readonly ListedClient[]): string {
  const found = clients.filter((client) => client.found);
  if (found.length === 0) return 'No AI client was found on this machine.';
  const rows = found.map(({ title, servers, connected, problem, file }) => [
    title,
    problem === undefined ? toNumber(servers.length) : 'unreadable',
    connected ? 'connected' : '',
    file,
  ]);
  const names = new Map<string, string[]>();
  for (const { title, servers } of found)
    for (const { name, what } of servers) {
      // What cannot be read outside its client has nothing to be told by.
      const key = `${name}\0${what || 'stays there'}`;
      names.set(key, [...(names.get(key) ?? []), title]);
    }
  const servers = [...names].map(([key, titles]) => [...key.split('\0'), titles.join(', ')]);
  return [
    `Found ${found.length} AI ${found.length === 1 ? 'client' : 'clients'}:`,
    '',
    toTable(['client', 'servers', '', 'file'], rows, ['left', 'right', 'left', 'left']),
    ...(servers.length === 0
      ? []
      : ['', 'Their servers:', '', toTable(['server', 'is', 'in'], servers, ['left', 'left', 'left'])]),
    ...found.flatMap(({ problem, remark }) =>
      [problem, remark].flatMap((said) => (said === undefined ? [] : ['', said])),
    ),
  ].join('\n');
}

type Costs = NonNullable<Awaited<ReturnType<typeof countCosts>>>;

/** To count what servers cost they have to be started once, which a person may not want. */
async function toCosts(input: CommandInput, ports: CommandPorts): Promise<Costs | undefined> {
  const { options } = input;
  if (options['tokens'] === false) return undefined;
  const { terminal } = ports;
  const agreed =
    options['yes'] === true ||
    (terminal !== undefined &&
      isYes(await terminal.ask('\nStart the servers once to see what is saved? [y/N] ')));
  return agreed ? countCosts(input, ports) : undefined;
}

function toCostText({ servers, before, after, mode }: Costs): string {
  const rows = servers.map(({ name, tools, tokens }) => [name, toNumber(tools), toNumber(tokens)]);
  const less = (1 - after.tokens / before.tokens) * 100;
  const saved = before.tokens === 0 ? '' : ` (${Math.abs(less).toFixed(1)} % ${less < 0 ? 'more' : 'less'})`;
  return [
    'What a conversation paid for your servers before it began, and pays now:',
    '',
    toTable(['server', 'tools', 'tokens'], rows, ['left', 'right', 'right']),
    '',
    `  before  ${toNumber(before.tokens)} tokens, ${toNumber(before.tools)} tools`,
    `  now     ${toNumber(after.tokens)} tokens, ${toNumber(after.tools)} tools in mode ${mode}${saved}, built-in servers included`,
  ].join('\n');
}

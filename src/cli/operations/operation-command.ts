/** Makes a command of an operation. */
import { GatewayError } from '../../errors/gateway-error.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { House } from '../../operations/house.ts';
import type { Operation } from '../../operations/operation.ts';
import { performForPerson } from '../../operations/perform.ts';
import {
  type Command,
  type CommandInput,
  type CommandOption,
  type CommandPorts,
  JSON_OPTION,
} from '../command.ts';
import { EXIT_CODES, toEndCode } from '../exit-codes.ts';
import { openHouse, PLACE_OPTIONS } from '../house/open-house.ts';
import { toArguments, toCommandLine, toOptions, toWords } from './inputs.ts';
import { stayAwake } from './stay-awake.ts';
import { createTerminalConsent, toPlanText } from './terminal-consent.ts';

const YES: CommandOption = { flags: '--yes', summary: 'do it without asking' };
const DRY_RUN: CommandOption = { flags: '--dry-run', summary: 'show what would be done, and do nothing' };

/** What may begin a configuration; all else needs the one that was named. */
const MAKING: ReadonlySet<string> = new Set([
  ...['server create', 'server install', 'server enable', 'server disable'],
  ...['config set', 'config import', 'config migrate', 'client import', 'client connect', 'system bootstrap'],
]);

/** How often a person is asked for what is missing before the command gives up. */
const MAX_ROUNDS = 3;

/** Makes it; `name` is what a person types. */
export function toOperationCommand(
  operation: Operation,
  name = `${operation.noun} ${operation.verb}`,
): Command {
  const { summary, effects, examples } = operation;
  const own = toOptions(operation);
  const hasDryRun = own.some(({ flags }) => flags === DRY_RUN.flags);
  const asking = effects === 'acts' ? [YES, ...(hasDryRun ? [] : [DRY_RUN])] : [];
  return {
    name,
    words: toWords(operation),
    summary,
    options: [...own, ...asking, JSON_OPTION, ...PLACE_OPTIONS],
    takesRest: ['command', 'args'].every((input) => Object.hasOwn(operation.input.shape, input)),
    examples: examples.map((example) => toCommandLine(operation, example)),
    async run(input, ports) {
      using _awake = stayAwake();
      await using house = await openHouse(input, ports, {
        mayMake: MAKING.has(`${operation.noun} ${operation.verb}`),
      });
      const args = toArguments(operation, input);
      const isDry = effects === 'acts' && !hasDryRun && input.options['dryRun'] === true;
      // Awaited here: the house is closed when this function returns.
      return await (isDry
        ? show(operation, args, house, input, ports)
        : act(operation, args, house, input, ports));
    },
  };
}

async function show(
  operation: Operation,
  args: JsonObject,
  house: House,
  { options }: CommandInput,
  ports: CommandPorts,
): Promise<number> {
  const plan = await operation.prepare(args).plan(house);
  if (options['json'] === true) ports.print(JSON.stringify({ plan: plan ?? null }, null, 2));
  else ports.print(plan ? toPlanText(plan) : 'There is nothing to do.');
  return EXIT_CODES.ok.code;
}

async function act(
  operation: Operation,
  args: JsonObject,
  house: House,
  { options }: CommandInput,
  ports: CommandPorts,
): Promise<number> {
  const { terminal } = ports;
  const consent = createTerminalConsent({ terminal, agreed: options['yes'] === true, tell: house.tell });
  const { output, text, succeeded } = await withMissing(args, ports, (whole) =>
    performForPerson(operation.prepare(whole), house, consent),
  );
  ports.print(options['json'] === true ? JSON.stringify(output, null, 2) : text);
  return toEndCode(succeeded);
}

/** Does something; what it says it lacks is asked for, where somebody can be asked. */
async function withMissing<Result>(
  args: JsonObject,
  { terminal }: CommandPorts,
  run: (args: JsonObject) => Promise<Result>,
): Promise<Result> {
  let whole = args;
  for (let round = 1; ; round++) {
    try {
      return await run(whole);
    } catch (error) {
      const missing = terminal && round < MAX_ROUNDS ? toMissing(error) : [];
      if (!terminal || missing.length === 0) throw error;
      const env = isJsonObject(whole['env']) ? whole['env'] : {};
      const answers: Record<string, string> = {};
      for (const { name, description, secret } of missing) {
        const answer = await terminal.ask(`${name}${description === '' ? '' : ` (${description})`}: `, {
          hidden: secret,
        });
        if (answer === '') throw error;
        answers[name] = answer;
      }
      whole = { ...whole, env: { ...env, ...answers } };
    }
  }
}

interface Missing {
  readonly name: string;
  readonly description: string;
  readonly secret: boolean;
}

/** The variables an operation could not go on without. */
function toMissing(error: unknown): readonly Missing[] {
  const missing = error instanceof GatewayError ? error.data['missing'] : undefined;
  if (!Array.isArray(missing)) return [];
  return missing.filter(isJsonObject).map(({ name, description, secret }) => ({
    name: String(name),
    description: typeof description === 'string' ? description : '',
    secret: secret !== false,
  }));
}

/** `thimble approve`: lets a person agree to what an agent asked for: at a terminal, or with `--yes` in a command they wrote themselves. */
import { GatewayError } from '../../errors/gateway-error.ts';
import { didYouMean } from '../../lib/nearest.ts';
import type { Pending } from '../../operations/approvals.ts';
import type { House } from '../../operations/house.ts';
import { findOperation } from '../../operations/nouns/registry.ts';
import type { Plan } from '../../operations/operation.ts';
import { openHouseApprovals, performPending, refusePending } from '../../operations/perform.ts';
import { type Command, type CommandInput, type CommandPorts, JSON_OPTION, printAnswer } from '../command.ts';
import { EXIT_CODES, toEndCode } from '../exit-codes.ts';
import { createHouse } from '../house/house.ts';
import { openHouse, PLACE_OPTIONS } from '../house/open-house.ts';
import { stayAwake } from '../operations/stay-awake.ts';
import { createTerminalConsent, toPlanText } from '../operations/terminal-consent.ts';

/** Shows what waits, or carries one out. */
export const approve: Command = {
  name: 'approve',
  words: ['[id]'],
  summary: 'agree to what an agent asked for; without an id, show what waits',
  options: [
    { flags: '--refuse', summary: 'say no instead; nothing is done' },
    { flags: '--yes', summary: 'agree without being shown the plan again' },
    JSON_OPTION,
    ...PLACE_OPTIONS,
  ],
  examples: ['thimble approve', 'thimble approve k7m2qx', 'thimble approve k7m2qx --refuse'],
  async run(input, ports) {
    using _awake = stayAwake();
    await using house = await openHouse(input, ports);
    const waiting = await (await openHouseApprovals(house)).pending();
    const [id] = input.args;
    if (id === undefined) return list(waiting, input, ports);
    const pending = findPending(waiting, id);
    if (input.options['refuse'] === true) {
      await refusePending(pending, house);
      const { summary } = pending.plan;
      printAnswer(
        input,
        ports,
        { id, refused: true, summary },
        () => `Refused: ${summary}. Nothing was done.`,
      );
      return EXIT_CODES.ok.code;
    }
    return await carryOut(pending, await toPlace(pending, house), input, ports);
  },
};

/** What is agreed to happens where it was asked for, wherever the person stands now. */
async function toPlace({ id, place: { cwd, config, named } }: Pending, house: House): Promise<House> {
  const there = createHouse({ ...house, cwd, explicit: named ? config : undefined }, house.store, house);
  const path = await there.config.path();
  if (path === config) return there;
  throw new GatewayError(
    'CONSENT_NEEDED',
    `${id} was asked for while ${config} was in use in ${cwd}, and now ${path} is, so nothing was done; refuse it and let it be asked for again`,
  );
}

function list(waiting: readonly Pending[], { options }: CommandInput, ports: CommandPorts): number {
  if (options['json'] === true) {
    const rows = waiting.map(({ id, noun, verb, plan, askedAt }) => ({ id, noun, verb, plan, askedAt }));
    ports.print(JSON.stringify(rows, null, 2));
  } else if (waiting.length === 0) ports.print('Nothing waits for you.');
  else
    ports.print(
      waiting
        .map(({ id, plan, askedAt }) =>
          [`${id}  asked ${askedAt}`, toPlanText(plan), `thimble approve ${id}`].join('\n'),
        )
        .join('\n\n'),
    );
  return EXIT_CODES.ok.code;
}

function findPending(waiting: readonly Pending[], id: string): Pending {
  const found = waiting.find((pending) => pending.id === id);
  if (found) return found;
  const ids = waiting.map((pending) => pending.id);
  const rest = ids.length === 0 ? 'nothing waits' : `waiting are ${ids.join(', ')}`;
  throw new GatewayError(
    'NAME_UNKNOWN',
    `nothing waits under "${id.slice(0, 40)}"${didYouMean(id, ids)}; ${rest}`,
  );
}

/** What is agreed to is what would be done now: a plan that has changed since is shown as it is. */
async function carryOut(
  pending: Pending,
  house: House,
  { options }: CommandInput,
  ports: CommandPorts,
): Promise<number> {
  const operation = await findOperation(pending.noun, pending.verb);
  const plan = await operation.prepare(pending.args).plan(house);
  if (plan && !(await isAgreed(plan, pending, house, options['yes'] === true, ports))) {
    ports.print(`Not done; it still waits. To say no for good: thimble approve ${pending.id} --refuse`);
    return EXIT_CODES.consent.code;
  }
  const { output, text, succeeded } = await performPending(operation, pending, plan, house);
  ports.print(options['json'] === true ? JSON.stringify(output, null, 2) : text);
  return toEndCode(succeeded);
}

async function isAgreed(
  plan: Plan,
  pending: Pending,
  { tell }: House,
  agreed: boolean,
  { terminal }: CommandPorts,
): Promise<boolean> {
  if (agreed && toPlanText(plan) !== toPlanText(pending.plan))
    throw new GatewayError(
      'CONSENT_NEEDED',
      `what would be done has changed since it was asked for:\n${toPlanText(plan)}\nrun thimble approve ${pending.id} without --yes`,
    );
  return agreed || (await createTerminalConsent({ terminal, agreed: false, tell })(plan)) === 'yes';
}

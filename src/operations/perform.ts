/** Carries out what somebody asked for: what acts is done only when a person agrees, now or later. */
import { fromUnknown } from '../errors/from-unknown.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import type { JsonObject } from '../model/json.ts';
import { openApprovals, type Pending, type Wish } from './approvals.ts';
import type { House } from './house.ts';
import { findOperation } from './nouns/registry.ts';
import type { Operation, Outcome, Plan, PreparedOperation } from './operation.ts';

/** What a person said to a plan; `later` when nobody could be asked. */
export type Answer = 'yes' | 'no' | 'later';

/** Puts a plan to a person. */
export type Consent = (plan: Plan) => Promise<Answer>;

/** What came of it: done, or left for a person. */
export type Performed =
  | ({ readonly is: 'done' } & Outcome)
  | { readonly is: 'pending'; readonly id: string; readonly plan: Plan; readonly text: string };

/** Performs what an agent or a program asks for; where nobody can be asked the wish is left for a person. */
export async function perform(
  operation: Operation,
  args: JsonObject,
  house: House,
  consent: Consent,
): Promise<Performed> {
  const { noun, verb, effects } = operation;
  const prepared = operation.prepare(args);
  const before = effects === 'acts' ? await takeVerdict({ noun, verb, args }, house) : undefined;
  if (before) return { is: 'done', ...before };
  const plan = await prepared.plan(house);
  if (plan === undefined) return { is: 'done', ...(await prepared.run(house)) };
  const answer = await consent(plan);
  if (answer === 'later') return leave({ noun, verb, args }, plan, house);
  return { is: 'done', ...(await carryOut(prepared, plan, answer, house)) };
}

/** Performs what a person asks for themselves: they are there, so nothing waits, and nothing that waited is meant. */
export async function performForPerson(
  prepared: PreparedOperation,
  house: House,
  consent: Consent,
): Promise<Outcome> {
  const plan = await prepared.plan(house);
  if (plan === undefined) return prepared.run(house);
  return carryOut(prepared, plan, await consent(plan), house);
}

/** Carries out a pending wish that a person agreed to; what came of it is kept for whoever asked. */
export async function performPending(pending: Pending, seen: Plan, house: House): Promise<Outcome> {
  const approvals = await openHouseApprovals(house);
  if (!(await approvals.claim(pending.id)))
    throw new GatewayError(
      'NAME_UNKNOWN',
      `${pending.id} does not wait any more; thimble approve lists what does`,
    );
  try {
    const operation = await findOperation(pending.noun, pending.verb);
    const outcome = await carryOut(operation.prepare(pending.args), seen, 'yes', house);
    await approvals.settle(pending.id, { is: 'done', outcome });
    return outcome;
  } catch (error) {
    const known = fromUnknown(error);
    const code = known instanceof GatewayError ? known.code : 'INTERNAL';
    await approvals.settle(pending.id, { is: 'failed', code, message: known.message });
    throw error;
  }
}

/** The approvals of a house. */
export async function openHouseApprovals(house: House): Promise<ReturnType<typeof openApprovals>> {
  return openApprovals(await house.store(), house.now);
}

/** Does what was agreed to, and only that: files and registries may have changed while somebody thought about it. */
async function carryOut(
  prepared: PreparedOperation,
  seen: Plan,
  answer: Answer,
  house: House,
): Promise<Outcome> {
  if (answer !== 'yes')
    throw new GatewayError('CONSENT_REFUSED', `${seen.summary}: the person said no; nothing was done`);
  const now = await prepared.plan(house);
  if (JSON.stringify(now) !== JSON.stringify(seen))
    throw new GatewayError(
      'CONSENT_NEEDED',
      `${seen.summary}: what would be done has changed since it was agreed to, so nothing was done; ask again to see it as it is now`,
    );
  return prepared.run(house);
}

/** What became of the same wish before; undefined when nobody has decided yet. */
async function takeVerdict(wish: Wish, house: House): Promise<Outcome | undefined> {
  const before = await (await openHouseApprovals(house)).take(wish);
  switch (before?.is) {
    case 'done':
      return before.outcome;
    case 'failed':
      throw new GatewayError(before.code, before.message);
    case 'refused':
      throw new GatewayError(
        'CONSENT_REFUSED',
        `${wish.noun} ${wish.verb}: the person said no; nothing was done`,
      );
    default:
      return undefined;
  }
}

async function leave(wish: Wish, plan: Plan, house: House): Promise<Performed> {
  const store = await house.store();
  if (store.degraded !== undefined)
    throw new GatewayError(
      'CONSENT_NEEDED',
      `a person has to agree to this, and it cannot be kept for later (${store.degraded}); ask them to run thimble ${wish.noun} ${wish.verb} in a terminal`,
    );
  const { path: config } = await house.config.read();
  const id = await openApprovals(store, house.now).leave(wish, plan, { cwd: house.cwd, config });
  return { is: 'pending', id, plan, text: toPendingText(id, plan) };
}

function toPendingText(id: string, { summary, details }: Plan): string {
  return [
    `Not done yet: a person has to agree to this first. To ${summary}:`,
    ...details.map((line) => `  ${line}`),
    '',
    `Ask the person to run this in a terminal: thimble approve ${id}`,
    'Then ask for the same thing again to get the result.',
  ].join('\n');
}

/** Carries out what somebody asked for: what acts is done only when a person agrees, now or later. */
import { fromUnknown } from '../errors/from-unknown.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import type { JsonObject } from '../model/json.ts';
import { openApprovals, type Pending, type Wish } from './approvals.ts';
import type { House } from './house.ts';
import type { Operation, Outcome, Plan, PreparedOperation } from './operation.ts';
import { findOperation } from './registry.ts';

/** What a person said to a plan; `later` when nobody could be asked. */
export type Answer = 'yes' | 'no' | 'later';

/** Puts a plan to a person. */
export type Consent = (plan: Plan) => Promise<Answer>;

/** What came of it: done, or left for a person. */
export type Performed =
  | ({ readonly is: 'done' } & Outcome)
  | { readonly is: 'pending'; readonly id: string; readonly plan: Plan; readonly text: string };

/** Performs an operation; without consent a plan is left pending. */
export async function perform(
  operation: Operation,
  args: JsonObject,
  house: House,
  consent: Consent,
): Promise<Performed> {
  const prepared = operation.prepare(args);
  const plan = operation.effects === 'acts' ? await findPlan(operation, args, prepared, house) : undefined;
  if (plan === undefined) return toDone(await prepared.run(house));
  if ('verdict' in plan) return plan.verdict;
  const answer = await consent(plan);
  if (answer === 'no')
    throw new GatewayError('CONSENT_REFUSED', `${plan.summary}: the person said no; nothing was done`);
  if (answer === 'yes') return toDone(await prepared.run(house));
  return leave({ noun: operation.noun, verb: operation.verb, args }, plan, house);
}

/** The plan, or what became of the same wish before. */
async function findPlan(
  { noun, verb }: Operation,
  args: JsonObject,
  prepared: PreparedOperation,
  house: House,
): Promise<Plan | { readonly verdict: Performed } | undefined> {
  const before = await (await openHouseApprovals(house)).take({ noun, verb, args });
  switch (before?.is) {
    case 'done':
      return { verdict: toDone(before.outcome) };
    case 'failed':
      throw new GatewayError(before.code, before.message);
    case 'refused':
      throw new GatewayError('CONSENT_REFUSED', `${noun} ${verb}: the person said no; nothing was done`);
    default:
      return prepared.plan(house);
  }
}

async function leave(wish: Wish, plan: Plan, house: House): Promise<Performed> {
  const store = await house.store();
  if (store.degraded !== undefined)
    throw new GatewayError(
      'CONSENT_NEEDED',
      `a person has to agree to this, and it cannot be kept for later (${store.degraded}); ask them to run thimble ${wish.noun} ${wish.verb} in a terminal`,
    );
  const id = await openApprovals(store, house.now).leave(wish, plan);
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

/** Carries out a pending wish that a person agreed to; what came of it is kept for whoever asked. */
export async function performPending(pending: Pending, house: House): Promise<Outcome> {
  const approvals = await openHouseApprovals(house);
  if (!(await approvals.claim(pending.id)))
    throw new GatewayError(
      'NAME_UNKNOWN',
      `${pending.id} does not wait any more; thimble approve lists what does`,
    );
  try {
    const operation = await findOperation(pending.noun, pending.verb);
    const outcome = await operation.prepare(pending.args).run(house);
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

function toDone(outcome: Outcome): Performed {
  return { is: 'done', ...outcome };
}

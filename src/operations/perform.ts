/** Carries out what somebody asked for: what acts is done only when a person agrees, now or later. */
import { fromUnknown } from '../errors/from-unknown.ts';
import { GatewayError } from '../errors/gateway-error.ts';
import type { JsonObject } from '../model/json.ts';
import { type Approvals, openApprovals, type Pending, type Wish } from './approvals.ts';
import type { House } from './house.ts';
import { type Operation, type Outcome, type Plan, type PreparedOperation, toPlanLines } from './operation.ts';

/** What a person said to a plan; `beforehand` when they agreed without seeing it, `later` when nobody could be asked. */
export type Answer = 'yes' | 'beforehand' | 'no' | 'later';

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
  const prepared = operation.prepare(args);
  const wish = operation.effects === 'acts' ? await toWish(operation, args, house) : undefined;
  const before = wish && (await takeVerdict(wish, house));
  if (before) return { is: 'done', ...before };
  const plan = await prepared.plan(house);
  if (!wish || plan === undefined) return { is: 'done', ...(await prepared.run(house)) };
  const answer = await consent(plan);
  if (answer === 'later') return leave(wish, plan, house);
  await withdraw(wish, house);
  return { is: 'done', ...(await carryOutIfAgreed(answer, prepared, plan, house)) };
}

/** Performs what a person asks for themselves: they are there, so nothing waits, and nothing that waited is meant. */
export async function performForPerson(
  prepared: PreparedOperation,
  house: House,
  consent: Consent,
): Promise<Outcome> {
  const plan = await prepared.plan(house);
  if (plan === undefined) return prepared.run(house);
  return carryOutIfAgreed(await consent(plan), prepared, plan, house);
}

/**
 * Carries out a pending wish that a person agreed to; what came of it is kept for whoever asked.
 * What they saw is undefined when there was nothing left to agree to.
 */
export async function performPending(
  operation: Operation,
  pending: Pending,
  seen: Plan | undefined,
  house: House,
): Promise<Outcome> {
  const approvals = await openHouseApprovals(house);
  await claim(approvals, pending);
  const outcome = await carryOutOrNote(approvals, operation, pending, seen, house);
  await approvals.settle(pending.id, { is: 'done', outcome });
  return outcome;
}

/** Says no to a pending wish, for whoever asked. */
export async function refusePending(pending: Pending, house: House): Promise<void> {
  const approvals = await openHouseApprovals(house);
  await claim(approvals, pending);
  await approvals.settle(pending.id, { is: 'refused' });
}

/** The approvals of a house. */
export async function openHouseApprovals(house: House): Promise<Approvals> {
  return openApprovals(await house.store(), house.now);
}

async function claim(approvals: Approvals, { id }: Pending): Promise<void> {
  if (!(await approvals.claim(id)))
    throw new GatewayError('NAME_UNKNOWN', `${id} does not wait any more; thimble approve lists what does`);
}

async function carryOutOrNote(
  approvals: Approvals,
  operation: Operation,
  { id, args }: Pending,
  seen: Plan | undefined,
  house: House,
): Promise<Outcome> {
  try {
    return await carryOut(operation.prepare(args), seen, house);
  } catch (error) {
    const known = fromUnknown(error);
    const code = known instanceof GatewayError ? known.code : 'INTERNAL';
    await approvals.settle(id, { is: 'failed', code, message: known.message });
    throw error;
  }
}

async function carryOutIfAgreed(
  answer: Answer,
  prepared: PreparedOperation,
  plan: Plan,
  house: House,
): Promise<Outcome> {
  // Nobody saw this plan, so it need not stay as it is while other processes change the same files.
  if (answer === 'beforehand') return prepared.run(house);
  if (answer === 'yes') return carryOut(prepared, plan, house);
  throw new GatewayError('CONSENT_REFUSED', `${plan.summary}: the person said no; nothing was done`);
}

/** Does what was agreed to, and only that: files and registries may have changed while somebody thought about it. */
async function carryOut(prepared: PreparedOperation, seen: Plan | undefined, house: House): Promise<Outcome> {
  const now = await prepared.plan(house);
  if (toEffect(now) !== toEffect(seen))
    throw new GatewayError(
      'CONSENT_NEEDED',
      `${(seen ?? now)?.summary}: what would be done has changed since it was agreed to, so nothing was done; ask again to see it as it is now`,
    );
  return prepared.run(house);
}

/** What a plan comes to: lines of a file around those that change may be changed by others meanwhile. */
function toEffect(plan: Plan | undefined): string {
  const changed = plan?.diffs?.filter((line) => !/^[ @]/.test(line)) ?? [];
  return JSON.stringify([plan?.summary, plan?.details, changed]);
}

async function toWish({ noun, verb }: Operation, args: JsonObject, house: House): Promise<Wish> {
  const { cwd, config } = house;
  return { noun, verb, args, place: { cwd, config: await config.path(), named: config.named } };
}

/** Answered now, it must not be answered once more by somebody who finds it waiting. */
async function withdraw(wish: Wish, house: House): Promise<void> {
  if (!(await (await openHouseApprovals(house)).withdraw(wish)))
    throw new GatewayError(
      'TOO_BUSY',
      `${wish.noun} ${wish.verb}: a person agreed to the same elsewhere and it is being done; ask again for what came of it`,
    );
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
  const id = await openApprovals(store, house.now).leave(wish, plan);
  return { is: 'pending', id, plan, text: toPendingText(id, plan) };
}

function toPendingText(id: string, plan: Plan): string {
  return [
    `Not done yet: a person has to agree to this first. To ${plan.summary}:`,
    ...toPlanLines(plan).map((line) => `  ${line}`),
    '',
    `Ask the person to run this in a terminal: thimble approve ${id}`,
    'Then ask for the same thing again to get the result.',
  ].join('\n');
}

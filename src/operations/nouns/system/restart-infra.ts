/** `system restart_infra`: every running server and then every share, in order, each with what came of it. */
import * as z from 'zod';
import { openShares } from '../../../session/shares.ts';
import type { House } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import {
  listLive,
  RESTART_OUTPUT,
  restartAll,
  sayResting,
  toLines,
  toRestartPlan,
} from '../../servers/restart-servers.ts';
import { findUrl, START_SERVING, toAddress } from '../../shares/address.ts';

const OUTPUT = z.object({
  ok: z.boolean(),
  ...RESTART_OUTPUT,
  shares: z.array(z.object({ name: z.string(), says: z.string(), ok: z.boolean() })),
});

const REACH_MS = 5_000;
/** What the address of a share answers to somebody without its token. */
const TOKEN_WANTED = 401;

/** Restarts everything. */
export const restartInfra = defineOperation({
  noun: 'system',
  verb: 'restart_infra',
  summary: 'restart every running server, then every share',
  input: z.object({}),
  output: OUTPUT,
  effects: 'acts',
  formerly: ['restart_infrastructure'],
  examples: [{}],
  async plan(_input, house) {
    const { ids } = await listLive(house);
    const names = await listShares(house);
    const cut = names.map((name) => `cut off whoever uses the share ${name}; its token stays good`);
    return toRestartPlan('restart every running server and every share', ids, cut);
  },
  async run(_input, house) {
    const { ids, resting } = await listLive(house);
    const servers = await restartAll(ids, house);
    const shares = await restartShares(house);
    const ok = [...servers, ...shares].every((one) => one.ok);
    return { ok, servers: [...servers], resting: [...resting], shares: [...shares] };
  },
  succeeded: ({ ok }) => ok,
  toText({ ok, servers, resting, shares }) {
    if (servers.length + shares.length === 0)
      return 'Nothing is running and nothing is shared, so nothing was restarted.';
    const lines = [
      ...toLines(servers),
      ...sayResting(resting),
      ...shares.map(({ name, says }) => `share ${name} ${says}`),
    ];
    const failed = [...servers, ...shares].filter((one) => !one.ok).length;
    const more = servers.every((one) => one.ok) ? '' : '; thimble doctor says more';
    return [...lines, ok ? 'All is up again.' : `${failed} did not come up${more}.`].join('\n');
  },
});

async function listShares(house: House): Promise<readonly string[]> {
  const shares = await openShares(await house.store(), () => house.now().getTime()).list();
  return shares.map(({ name }) => name);
}

async function restartShares(house: House): Promise<z.output<typeof OUTPUT>['shares']> {
  const shares = openShares(await house.store(), () => house.now().getTime());
  const url = await findUrl(house);
  const names = await listShares(house);
  const done: z.output<typeof OUTPUT>['shares'] = [];
  for (const [at, name] of names.entries()) {
    house.signal.throwIfAborted();
    house.tell(`restarting the share ${name} (${at + 1} of ${names.length})`);
    await shares.restart(name);
    done.push({ name, ...(await reach(name, url, house)) });
  }
  return done;
}

async function reach(
  name: string,
  url: string | undefined,
  house: House,
): Promise<{ says: string; ok: boolean }> {
  if (url === undefined) return { says: `is not reachable: ${START_SERVING}`, ok: false };
  const address = `${url}${toAddress(name)}`;
  try {
    const { status } = await house.fetch(address, { method: 'POST', signal: AbortSignal.timeout(REACH_MS) });
    if (status === TOKEN_WANTED) return { says: `answers at ${address}`, ok: true };
    return { says: `answers ${status} at ${address} instead of asking for its token`, ok: false };
  } catch {
    return { says: `does not answer at ${address}`, ok: false };
  }
}

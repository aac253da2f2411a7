/** `check_status`: one page that says whether all is well, and what to do where it is not. */
import * as z from 'zod';
import type { Config } from '../../../config/config.ts';
import { fromUnknown } from '../../../errors/from-unknown.ts';
import { readLedger } from '../../../ledger/read.ts';
import { LOCAL_PRINCIPAL } from '../../../model/principal.ts';
import { VERSION } from '../../../model/version.ts';
import { openShares } from '../../../session/shares.ts';
import type { House } from '../../house.ts';
import { defineOperation } from '../../operation.ts';
import { toPage } from './page.ts';
import { readServerStates } from './server-states.ts';
import { STATUS, type Status } from './status.ts';

/** How many days of clients are looked at. */
const LEDGER_ROWS = 50;
const MAX_SURFACES = 8;

/** Shows the page. */
export const show = defineOperation({
  noun: 'check_status',
  verb: 'show',
  summary: 'what runs, what is wrong and what to do next',
  input: z.object({}),
  output: STATUS,
  effects: 'reads',
  formerly: ['check_status'],
  examples: [{}],
  async run(_input, house) {
    const configured = await readConfiguration(house);
    const unread: string[] = [];
    const read = <T>(what: string, reading: Promise<T>, otherwise: T) =>
      reading.catch(() => {
        unread.push(what);
        return otherwise;
      });
    const { servers, errors } = await readServerStates(configured.upstreams, house);
    const processes = await house.running.processes();
    const shares = await read('shares', readShares(house), []);
    const surfaces = await read('tokens', readSurfaces(house), []);
    return {
      ok: configured.ok && unread.length === 0 && servers.every((server) => server.ok),
      version: VERSION,
      home: house.home,
      configuration: configured.says,
      processes: processes.map(({ pid, command, startedAt, url }) => ({
        pid,
        command,
        startedAt,
        ...(url !== undefined && { url }),
      })),
      servers: [...servers],
      surfaces: [...surfaces],
      shares: [...shares],
      errors: [...errors],
      unread,
    };
  },
  succeeded: ({ ok }) => ok,
  toText: toPage,
});

/** Where the configuration is, or why it cannot be used: then nothing is known of the servers but that they run. */
async function readConfiguration({ config }: House): Promise<{
  readonly ok: boolean;
  readonly says: string;
  readonly upstreams: Config['upstreams'];
}> {
  try {
    const { path, text, config: read } = await config.read();
    const says = text === undefined ? `none yet; it would be ${path}` : path;
    return { ok: true, says, upstreams: read.upstreams };
  } catch (error) {
    return { ok: false, says: `cannot be used: ${fromUnknown(error).message}`, upstreams: [] };
  }
}

async function readShares(house: House): Promise<Status['shares']> {
  const shares = await openShares(await house.store(), () => house.now().getTime()).list();
  return shares.map(({ name, kind, target, expiresAt }) => ({
    name,
    kind,
    target,
    expiresAt: new Date(expiresAt).toISOString(),
  }));
}

/** The newest day of each client at each address. */
async function readSurfaces(house: House): Promise<Status['surfaces']> {
  const { days } = await readLedger(await house.store(), LOCAL_PRINCIPAL.id, LEDGER_ROWS);
  const newest = new Map<string, Status['surfaces'][number]>();
  for (const { client, endpoint, day, lists, listTokens } of days) {
    const key = JSON.stringify([client, endpoint]);
    if (lists === 0 || newest.has(key)) continue;
    newest.set(key, { client, endpoint, day, tokens: Math.round(listTokens / lists) });
  }
  return [...newest.values()].slice(0, MAX_SURFACES);
}

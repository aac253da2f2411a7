/** The right to be on the network: of all processes that use a store, one at a time has it. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Sharing } from './context.ts';
import { LEASE_MS } from './limits.ts';

/** The right, as one process sees it. */
export interface Lease {
  /** Takes it or keeps it; false while somebody else has it. */
  hold(): Promise<boolean>;
  /** True when anybody has it. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/** Two processes with one key would take each other's connections away; hence one at a time. */
export function createLease({ db, principal, now }: Pick<Sharing, 'db' | 'principal' | 'now'>): Lease {
  const owner = randomBytes(8).toString('hex');
  const host = hostname();
  const find = () =>
    db.selectFrom('sharing_leases').selectAll().where('principal', '=', principal).executeTakeFirst();
  const isLive = (row: { readonly until: number; readonly host: string; readonly pid: number }) =>
    row.until > now().getTime() && (row.host !== host || isRunning(row.pid));
  return {
    hold: () =>
      db.transaction().execute(async (transaction) => {
        const found = await transaction
          .selectFrom('sharing_leases')
          .selectAll()
          .where('principal', '=', principal)
          .executeTakeFirst();
        if (found && found.owner !== owner && isLive(found)) return false;
        const row = { owner, host, pid: process.pid, until: now().getTime() + LEASE_MS };
        await transaction
          .insertInto('sharing_leases')
          .values({ principal, ...row })
          .onConflict((conflict) => conflict.column('principal').doUpdateSet(row))
          .execute();
        return true;
      }),
    async isHeld() {
      const found = await find();
      return found !== undefined && isLive(found);
    },
    async release() {
      await db
        .deleteFrom('sharing_leases')
        .where('principal', '=', principal)
        .where('owner', '=', owner)
        .execute();
    },
  };
}

/** A process that was killed had no time to give the lease back. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

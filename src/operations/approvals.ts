/** What waits for a person to agree, and what came of it; inputs and outcomes are sealed, since they may hold secrets. */
import { randomInt } from 'node:crypto';
import type { Kysely } from 'kysely';
import { GatewayError } from '../errors/gateway-error.ts';
import type { ErrorCode } from '../errors/table.ts';
import { toDigest } from '../model/ids.ts';
import { type JsonObject, toCanonicalJson } from '../model/json.ts';
import type { Migration } from '../store/migrate.ts';
import type { Store } from '../store/store.ts';
import type { Outcome, Plan } from './operation.ts';

/** Something somebody asked for. */
export interface Wish {
  readonly noun: string;
  readonly verb: string;
  readonly args: JsonObject;
  /** The same thing asked for elsewhere is another wish. */
  readonly place: WishPlace;
}

/** Where it was asked for: what is agreed to happens there. */
export interface WishPlace {
  readonly cwd: string;
  /** The configuration in use. */
  readonly config: string;
  /** True when it was named; one that was only come upon is not trusted more by being agreed to. */
  readonly named?: boolean;
}

/** A wish that waits for a person. */
export interface Pending extends Wish {
  readonly id: string;
  readonly plan: Plan;
  /** ISO 8601. */
  readonly askedAt: string;
}

/** What became of a wish. */
export type Verdict =
  | { readonly is: 'pending'; readonly id: string }
  | { readonly is: 'done'; readonly outcome: Outcome }
  | { readonly is: 'failed'; readonly code: ErrorCode; readonly message: string }
  | { readonly is: 'refused' };

/** The list of wishes. */
export interface Approvals {
  /** Those that wait, the oldest first; what our key does not open is left out. */
  pending(): Promise<readonly Pending[]>;
  /** What became of a wish that was put before; a verdict is told once, and then it is forgotten. */
  take(wish: Wish): Promise<Verdict | undefined>;
  /** Leaves a wish for a person and gives its id; the same wish again has the same id. */
  leave(wish: Wish, plan: Plan): Promise<string>;
  /** Takes back a wish that was answered elsewhere; false when somebody carries it out at this moment. */
  withdraw(wish: Wish): Promise<boolean>;
  /** Takes a pending wish to carry it out; false when somebody else is at it. */
  claim(id: string): Promise<boolean>;
  /** Notes what came of it. */
  settle(id: string, verdict: Exclude<Verdict, { is: 'pending' }>): Promise<void>;
}

type State = 'pending' | 'running' | 'done' | 'failed' | 'refused';

interface ApprovalTables {
  readonly approvals: {
    readonly id: string;
    /** Of the wish, so that asking again finds it. */
    readonly digest: string;
    readonly noun: string;
    readonly verb: string;
    readonly sealed_wish: string;
    readonly state: State;
    readonly sealed_verdict: string | null;
    readonly asked_at: string;
    /** When somebody began to carry it out. */
    readonly claimed_at: string | null;
  };
}

const MIGRATIONS: readonly Migration[] = [
  {
    owner: 'approvals',
    id: '0001-approvals',
    async up(db) {
      await db.schema
        .createTable('approvals')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('digest', 'text', (column) => column.notNull())
        .addColumn('noun', 'text', (column) => column.notNull())
        .addColumn('verb', 'text', (column) => column.notNull())
        .addColumn('sealed_wish', 'text', (column) => column.notNull())
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('sealed_verdict', 'text')
        .addColumn('asked_at', 'text', (column) => column.notNull())
        .execute();
      await db.schema.createIndex('approvals_by_digest').on('approvals').column('digest').execute();
    },
  },
  {
    owner: 'approvals',
    id: '0002-claimed-at',
    async up(db) {
      await db.schema.alterTable('approvals').addColumn('claimed_at', 'text').execute();
    },
  },
];

/** What nobody decided on within this time is forgotten. */
const KEPT_MS = 24 * 3_600_000;
/** An agent in a loop must not fill a person's list. */
const MAX_PENDING = 50;
/** Whoever carries a wish out and is not heard of for this long has died over it. */
const CLAIM_MS = 600_000;
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const ID_LENGTH = 6;

/** Opens the list; the tables are made on first use. */
export function openApprovals(store: Pick<Store, 'tables' | 'cipher'>, now: () => Date): Approvals {
  const { cipher } = store;
  async function open(): Promise<Kysely<ApprovalTables>> {
    const { db } = await store.tables<ApprovalTables>('approvals', MIGRATIONS);
    const before = (ms: number) => new Date(now().getTime() - ms).toISOString();
    await db.deleteFrom('approvals').where('asked_at', '<', before(KEPT_MS)).execute();
    await db
      .updateTable('approvals')
      .set({ state: 'pending' })
      .where('state', '=', 'running')
      .where('claimed_at', '<', before(CLAIM_MS))
      .execute();
    return db;
  }

  async function unseal<T>(sealed: string | null, id: string): Promise<T | undefined> {
    const text = sealed === null ? undefined : await cipher.open(sealed, id);
    return text === undefined ? undefined : (JSON.parse(text) as T);
  }

  return {
    async pending() {
      const db = await open();
      const rows = await db
        .selectFrom('approvals')
        .selectAll()
        .where('state', '=', 'pending')
        .orderBy('asked_at')
        .execute();
      const opened = rows.map(async ({ id, noun, verb, asked_at, sealed_wish }) => {
        const wish = await unseal<Pick<Pending, 'args' | 'plan' | 'place'>>(sealed_wish, id);
        return wish ? [{ id, noun, verb, askedAt: asked_at, ...wish }] : [];
      });
      return (await Promise.all(opened)).flat();
    },
    async take(wish) {
      const db = await open();
      const row = await findRow(db, wish);
      if (!row) return undefined;
      if (row.state === 'pending' || row.state === 'running') return { is: 'pending', id: row.id };
      await db.deleteFrom('approvals').where('id', '=', row.id).execute();
      return (await unseal<Verdict>(row.sealed_verdict, row.id)) ?? { is: 'refused' };
    },
    async leave(wish, plan) {
      const db = await open();
      const found = await findRow(db, wish);
      if (found) return found.id;
      await refuseTooMany(db);
      const id = toId();
      const { noun, verb, args, place } = wish;
      const sealed_wish = await cipher.seal(JSON.stringify({ args, plan, place }), id);
      const row = { id, digest: toWishDigest(wish), noun, verb, sealed_wish };
      await db
        .insertInto('approvals')
        .values({
          ...row,
          state: 'pending',
          sealed_verdict: null,
          asked_at: now().toISOString(),
          claimed_at: null,
        })
        .execute();
      return id;
    },
    async withdraw(wish) {
      const db = await open();
      const of = db.deleteFrom('approvals').where('digest', '=', toWishDigest(wish));
      await of.where('state', '=', 'pending').execute();
      return (await findRow(db, wish))?.state !== 'running';
    },
    async claim(id) {
      const db = await open();
      const { numUpdatedRows } = await db
        .updateTable('approvals')
        .set({ state: 'running', claimed_at: now().toISOString() })
        .where('id', '=', id)
        .where('state', '=', 'pending')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async settle(id, verdict) {
      const db = await open();
      const sealed_verdict = await cipher.seal(JSON.stringify(verdict), id);
      await db
        .updateTable('approvals')
        .set({ state: verdict.is, sealed_verdict })
        .where('id', '=', id)
        .execute();
    },
  };
}

async function findRow(db: Kysely<ApprovalTables>, wish: Wish) {
  return db
    .selectFrom('approvals')
    .select(['id', 'state', 'sealed_verdict'])
    .where('digest', '=', toWishDigest(wish))
    .executeTakeFirst();
}

/** What a person has not looked at yet is not pushed out by what comes after it. */
async function refuseTooMany(db: Kysely<ApprovalTables>): Promise<void> {
  const { waiting } = await db
    .selectFrom('approvals')
    .select((row) => row.fn.countAll<number>().as('waiting'))
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow();
  if (Number(waiting) >= MAX_PENDING)
    throw new GatewayError(
      'TOO_BUSY',
      `${MAX_PENDING} wishes wait for a person already; ask them to look through them first: thimble approve`,
    );
}

/** Short enough to be typed, without letters that look alike. */
function toId(): string {
  return Array.from({ length: ID_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}

function toWishDigest({ noun, verb, args, place: { cwd, config } }: Wish): string {
  return toDigest(toCanonicalJson([noun, verb, args, cwd, config]), 64);
}

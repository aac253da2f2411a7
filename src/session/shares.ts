/** Shares: a server or a profile that somebody may use with a token of its own, for a while. */
import { createHash, randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { GatewayError } from '../errors/gateway-error.ts';
import type { Now } from '../lib/clock.ts';
import type { Migration } from '../store/migrate.ts';
import type { Store } from '../store/store.ts';

/** What is shared, and until when. */
export interface Share {
  /** What it is called; its address is `/i/<name>/mcp`. */
  readonly name: string;
  readonly kind: 'server' | 'profile';
  /** The id of the server, or the name of the profile. */
  readonly target: string;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  readonly expiresAt: number;
  readonly usedAt: number | undefined;
}

/** A share and what its token is known by. */
export interface ShareKey extends Share {
  /** Differs for every start and restart, also of the same name. */
  readonly id: string;
  /** The digest of the token. */
  readonly digest: string;
}

/** What is shared from one home. */
export interface Shares {
  /** Those in force now, by name. */
  list(): Promise<readonly ShareKey[]>;
  /** Starts one and answers with its token, which nobody can read again; throws NAME_TAKEN. */
  start(share: Pick<Share, 'name' | 'kind' | 'target' | 'expiresAt'>): Promise<string>;
  /** Ends what goes on by one, whose token stays good; false when there is none. */
  restart(name: string): Promise<boolean>;
  /** Ends one; false when there was none. */
  stop(name: string): Promise<boolean>;
  /** Notes that one was used. */
  used(id: string): Promise<void>;
}

interface ShareTables {
  readonly shares: {
    readonly name: string;
    readonly id: string;
    readonly kind: Share['kind'];
    readonly target: string;
    readonly digest: string;
    readonly started_at: number;
    readonly expires_at: number;
    readonly used_at: number | null;
  };
}

const MIGRATIONS: readonly Migration[] = [
  {
    owner: 'shares',
    id: '0001-shares',
    async up(db) {
      await db.schema
        .createTable('shares')
        .addColumn('name', 'text', (column) => column.primaryKey())
        .addColumn('id', 'text', (column) => column.notNull())
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('target', 'text', (column) => column.notNull())
        .addColumn('digest', 'text', (column) => column.notNull())
        .addColumn('started_at', 'bigint', (column) => column.notNull())
        .addColumn('expires_at', 'bigint', (column) => column.notNull())
        .addColumn('used_at', 'bigint')
        .execute();
    },
  },
];

const TOKEN_BYTES = 32;
/** Tells what it is wherever it turns up. */
const TOKEN_PREFIX = 'thimble_share_';

/** Opens the shares in a store; the table is made on first use. */
export function openShares(store: Pick<Store, 'tables'>, now: Now = Date.now): Shares {
  const open = () => store.tables<ShareTables>('shares', MIGRATIONS).then(({ db }) => db);
  return {
    async list() {
      const db = await open();
      const rows = await db
        .selectFrom('shares')
        .selectAll()
        .where('expires_at', '>', now())
        .orderBy('name')
        .execute();
      return rows.map(toShare);
    },
    async start(share) {
      const token = `${TOKEN_PREFIX}${randomBytes(TOKEN_BYTES).toString('base64url')}`;
      await addShare(await open(), share, token, now());
      return token;
    },
    async stop(name) {
      const db = await open();
      const deleted = await db
        .deleteFrom('shares')
        .where('name', '=', name)
        .where('expires_at', '>', now())
        .executeTakeFirst();
      return deleted.numDeletedRows > 0n;
    },
    async restart(name) {
      const db = await open();
      const updated = await db
        .updateTable('shares')
        .set({ id: createId() })
        .where('name', '=', name)
        .where('expires_at', '>', now())
        .executeTakeFirst();
      return updated.numUpdatedRows > 0n;
    },
    async used(id) {
      const db = await open();
      await db.updateTable('shares').set({ used_at: now() }).where('id', '=', id).execute();
    },
  };
}

/** What a token is kept as: it is random and long, so that nobody finds it from its digest. */
export function toTokenDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function createId(): string {
  return randomBytes(12).toString('hex');
}

async function addShare(
  db: Kysely<ShareTables>,
  { name, kind, target, expiresAt }: Pick<Share, 'name' | 'kind' | 'target' | 'expiresAt'>,
  token: string,
  now: number,
): Promise<void> {
  const row = {
    name,
    id: createId(),
    kind,
    target,
    digest: toTokenDigest(token),
    started_at: now,
    expires_at: expiresAt,
    used_at: null,
  };
  await db.transaction().execute(async (transaction) => {
    await transaction.deleteFrom('shares').where('expires_at', '<=', now).execute();
    const added = await transaction
      .insertInto('shares')
      .values(row)
      .onConflict((conflict) => conflict.column('name').doNothing())
      .executeTakeFirst();
    if (added.numInsertedOrUpdatedRows === 0n) throw toTaken(name);
  });
}

/** The refusal of a name that is in use. */
export function toTaken(name: string): GatewayError {
  return new GatewayError(
    'NAME_TAKEN',
    `"${name}" is shared already; end that with \`thimble share stop ${name}\`, or give this one another name with --as`,
  );
}

function toShare(row: ShareTables['shares']): ShareKey {
  const { name, id, kind, target, digest } = row;
  return {
    name,
    id,
    kind,
    target,
    digest,
    startedAt: Number(row.started_at),
    expiresAt: Number(row.expires_at),
    usedAt: row.used_at === null ? undefined : Number(row.used_at),
  };
}

/** The sharing server's tables, step by step; only ever appended to. */
import type { ColumnDefinitionBuilder, Kysely } from 'kysely';
import type { Ddl } from '../../store/ddl.ts';
import type { Migration } from '../../store/migrate.ts';

/** The owner of these tables. */
export const OWNER = 'sharing';

/** Every step of the schema. */
export const MIGRATIONS: readonly Migration[] = [
  { owner: OWNER, id: '0001-people', up: createPeople },
  { owner: OWNER, id: '0002-items', up: createItems },
  {
    owner: OWNER,
    id: '0003-lease',
    async up(db) {
      await db.schema
        .createTable('sharing_leases')
        .addColumn('principal', 'text', (column) => column.primaryKey())
        .addColumn('owner', 'text', required)
        .addColumn('host', 'text', required)
        .addColumn('pid', 'integer', required)
        .addColumn('until', 'integer', required)
        .execute();
    },
  },
];

function required(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.notNull();
}

async function createPeople(db: Kysely<unknown>, ddl: Ddl): Promise<void> {
  await db.schema
    .createTable('sharing_identities')
    .addColumn('principal', 'text', (column) => column.primaryKey())
    .addColumn('public_key', 'text', required)
    .addColumn('sealed', 'text', required)
    .addColumn('created_at', 'text', required)
    .execute();
  await db.schema
    .createTable('sharing_invites')
    .addColumn('id', 'integer', ddl.id)
    .addColumn('principal', 'text', required)
    .addColumn('secret_hash', 'text', (column) => column.notNull().unique())
    .addColumn('display_name', 'text')
    .addColumn('expires_at', 'integer', required)
    .addColumn('created_at', 'text', required)
    .addColumn('used_at', 'text')
    .addColumn('used_by', 'text')
    .execute();
  await db.schema
    .createTable('sharing_joins')
    .addColumn('id', 'integer', ddl.id)
    .addColumn('principal', 'text', required)
    .addColumn('peer_key', 'text', required)
    .addColumn('secret', 'text', required)
    .addColumn('display_name', 'text')
    .addColumn('expires_at', 'integer', required)
    .addColumn('state', 'text', required)
    .addColumn('reason', 'text')
    .addColumn('created_at', 'text', required)
    .addUniqueConstraint('sharing_joins_of_peer', ['principal', 'peer_key'])
    .execute();
  await db.schema
    .createTable('sharing_contacts')
    .addColumn('id', 'integer', ddl.id)
    .addColumn('principal', 'text', required)
    .addColumn('peer_key', 'text', required)
    .addColumn('fingerprint', 'text', required)
    .addColumn('name', 'text', required)
    .addColumn('blocked', 'integer', required)
    .addColumn('connected', 'integer', required)
    .addColumn('last_seen', 'text')
    .addColumn('created_at', 'text', required)
    .addUniqueConstraint('sharing_contacts_of_peer', ['principal', 'peer_key'])
    .execute();
}

async function createItems(db: Kysely<unknown>, ddl: Ddl): Promise<void> {
  await db.schema
    .createTable('sharing_outbox')
    .addColumn('seq', 'integer', ddl.id)
    .addColumn('principal', 'text', required)
    .addColumn('contact_id', 'integer', required)
    .addColumn('item_id', 'text', (column) => column.notNull().unique())
    .addColumn('kind', 'text', required)
    .addColumn('share_type', 'text')
    .addColumn('ref_id', 'text')
    .addColumn('title', 'text', required)
    .addColumn('permissions', 'text')
    .addColumn('body', 'text', required)
    .addColumn('file_name', 'text')
    .addColumn('file_sha256', 'text')
    .addColumn('file_size', 'integer', required)
    .addColumn('state', 'text', required)
    .addColumn('reason', 'text')
    .addColumn('sent_at', 'text')
    .addColumn('created_at', 'text', required)
    .addColumn('delivered_at', 'text')
    .execute();
  await db.schema
    .createIndex('sharing_outbox_waiting')
    .on('sharing_outbox')
    .columns(['principal', 'state', 'contact_id', 'seq'])
    .execute();
  await db.schema
    .createTable('sharing_received')
    .addColumn('id', 'integer', ddl.id)
    .addColumn('principal', 'text', required)
    .addColumn('contact_id', 'integer', required)
    .addColumn('item_id', 'text', required)
    .addColumn('kind', 'text', required)
    .addColumn('share_type', 'text')
    .addColumn('title', 'text', required)
    .addColumn('permissions', 'text')
    .addColumn('body', 'text')
    .addColumn('file_name', 'text')
    .addColumn('file_sha256', 'text')
    .addColumn('size', 'integer', required)
    .addColumn('state', 'text', required)
    .addColumn('read_at', 'text')
    .addColumn('received_at', 'text', required)
    .addUniqueConstraint('sharing_received_once', ['contact_id', 'item_id'])
    .execute();
  await db.schema
    .createIndex('sharing_received_newest')
    .on('sharing_received')
    .columns(['principal', 'state', 'id'])
    .execute();
}

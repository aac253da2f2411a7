/** The tables of the sharing server as Kysely sees them. */
import type { Generated } from 'kysely';

/** What may be done with a shared item. */
export type Permission = 'read' | 'read-write' | 'one-time';

/** The key pair of one principal. */
export interface IdentityRow {
  readonly principal: string;
  /** Hex. */
  readonly public_key: string;
  /** The seed of the private key, sealed. */
  readonly sealed: string;
  readonly created_at: string;
}

/** An invite of ours. */
export interface InviteRow {
  readonly id: Generated<number>;
  readonly principal: string;
  /** The secret itself is only in the invite. */
  readonly secret_hash: string;
  readonly display_name: string | null;
  /** Milliseconds since 1970. */
  readonly expires_at: number;
  readonly created_at: string;
  readonly used_at: string | null;
  /** The public key of whoever used it. */
  readonly used_by: string | null;
}

/** An invite of somebody else that was accepted here, until they agree. */
export interface JoinRow {
  readonly id: Generated<number>;
  readonly principal: string;
  readonly peer_key: string;
  /** Sealed. */
  readonly secret: string;
  readonly display_name: string | null;
  readonly expires_at: number;
  readonly state: 'pending' | 'done' | 'refused';
  readonly reason: string | null;
  readonly created_at: string;
}

/** Somebody we share with. */
export interface ContactRow {
  readonly id: Generated<number>;
  readonly principal: string;
  /** Hex. */
  readonly peer_key: string;
  readonly fingerprint: string;
  readonly name: string;
  /** 1 or 0. */
  readonly blocked: number;
  /** 1 or 0; counts only while somebody holds the lease. */
  readonly connected: number;
  readonly last_seen: string | null;
  readonly created_at: string;
}

/** What goes over the wire as one piece. */
export type ItemKind = 'message' | 'item' | 'edit' | 'revoke';

/** Something for a contact: waiting, on its way, or there. */
export interface OutboxRow {
  readonly seq: Generated<number>;
  readonly principal: string;
  readonly contact_id: number;
  /** 32 hex digits; the same at both ends. */
  readonly item_id: string;
  readonly kind: ItemKind;
  readonly share_type: string | null;
  /** The item's id in the server that keeps it. */
  readonly ref_id: string | null;
  readonly title: string;
  readonly permissions: Permission | null;
  /** JSON text; emptied once it has arrived or was withdrawn. */
  readonly body: string;
  readonly file_name: string | null;
  readonly file_sha256: string | null;
  readonly file_size: number;
  readonly state: 'pending' | 'delivered' | 'failed' | 'withdrawn';
  /** Why it failed, or why it was not taken when it was last offered. */
  readonly reason: string | null;
  /** Set before the first byte leaves: without it nobody else can have it. */
  readonly sent_at: string | null;
  readonly created_at: string;
  readonly delivered_at: string | null;
}

/** Something a contact sent. */
export interface ReceivedRow {
  readonly id: Generated<number>;
  readonly principal: string;
  readonly contact_id: number;
  readonly item_id: string;
  readonly kind: 'message' | 'item' | 'edit';
  readonly share_type: string | null;
  readonly title: string;
  readonly permissions: Permission | null;
  /** JSON text; null once it is gone. */
  readonly body: string | null;
  readonly file_name: string | null;
  readonly file_sha256: string | null;
  /** Bytes this counts for: content and file. */
  readonly size: number;
  /** `arriving` is not shown; `used` was readable once, `revoked` was taken back, and `removed` was removed here. */
  readonly state: 'arriving' | 'held' | 'used' | 'revoked' | 'removed';
  readonly read_at: string | null;
  /** When it was there whole; while it arrives, when they last began to send it. */
  readonly received_at: string;
}

/** Who may be on the network for a principal: one process of all that use the store. */
export interface LeaseRow {
  readonly principal: string;
  readonly owner: string;
  readonly host: string;
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Everything the sharing server keeps. */
export interface SharingTables {
  readonly sharing_identities: IdentityRow;
  readonly sharing_invites: InviteRow;
  readonly sharing_joins: JoinRow;
  readonly sharing_contacts: ContactRow;
  readonly sharing_outbox: OutboxRow;
  readonly sharing_received: ReceivedRow;
  readonly sharing_leases: LeaseRow;
}

/** What the parts of sharing have in common: tables, whose they are, what may be taken in, and where files lie. */
import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { GatewayError } from '../../errors/gateway-error.ts';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { LOCAL_PRINCIPAL } from '../../model/principal.ts';
import { type Cipher, createCipher } from '../../store/cipher.ts';
import { createKeySource } from '../../store/key-source.ts';
import type { BuiltinParts } from '../builtin.ts';
import { createFiles, type Files } from './files.ts';
import { findIdentity, type Identity } from './identity.ts';
import { MIGRATIONS, OWNER } from './migrations.ts';
import type { NetworkPlace, OpenNetwork } from './network/network.ts';
import {
  type IntakeLimits,
  SHARING_OPTIONS,
  type SharingOptions,
  toIntakeLimits,
  toNetworkPlace,
} from './options.ts';
import type { SharedItems } from './ports.ts';
import type { SharingTables } from './tables.ts';

/** The tables, or a transaction on them. */
export type SharingDb = Kysely<SharingTables>;

/** What sharing may be given beside what every built-in may. */
export interface SharingParts extends BuiltinParts {
  /** Another network than the one the options name: a place to start from, or a whole one. */
  readonly network?: NetworkPlace | OpenNetwork | undefined;
  readonly clock?: Clock | undefined;
}

/** What is open once the tables are. */
export interface Sharing {
  readonly db: SharingDb;
  readonly principal: string;
  readonly cipher: Cipher;
  /** What contacts see as our name. */
  readonly name: string | undefined;
  readonly intake: IntakeLimits;
  /** Where to find others; undefined for the public network. */
  readonly place: NetworkPlace | undefined;
  readonly items: SharedItems | undefined;
  readonly files: Files;
  readonly clock: Clock;
  /** The time of day. */
  readonly now: () => Date;
  /** Made when it is first asked for. */
  identity(): Promise<Identity>;
}

/** Opens the tables; touches no network. */
export async function openSharing(parts: SharingParts): Promise<Sharing> {
  const options = parseOptions(parts.options);
  const { db } = await parts.store.tables<SharingTables>(OWNER, MIGRATIONS);
  const principal = parts.principal ?? LOCAL_PRINCIPAL.id;
  const cipher = parts.cipher ?? createOwnCipher(parts.home);
  const now = parts.now ?? (() => new Date());
  let identity: Promise<Identity> | undefined;
  return {
    db,
    principal,
    cipher,
    name: options.name,
    intake: toIntakeLimits(options),
    place: toNetworkPlace(options),
    items: parts.items,
    files: createFiles(parts.home),
    clock: parts.clock ?? systemClock,
    now,
    identity() {
      identity ??= findIdentity({ db, principal, cipher, now });
      // A key that cannot be opened now may be later, once the right one is put back.
      identity.catch(() => {
        identity = undefined;
      });
      return identity;
    },
  };
}

/** The key file of the home, as the store has it; without a home nothing outlives the process, nor need the key. */
function createOwnCipher(home: string | undefined): Cipher {
  if (home !== undefined) return createCipher(createKeySource({ given: undefined, folder: home }));
  const key = randomBytes(32);
  return createCipher(async () => key);
}

function parseOptions(options: unknown): SharingOptions {
  const parsed = SHARING_OPTIONS.strict().safeParse(options ?? {});
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new GatewayError('CONFIG_INVALID', `the options of sharing cannot be used: ${faults.join('; ')}`);
}

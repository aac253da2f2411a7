/** What the parts of sharing have in common: tables, whose they are, what may be taken in, and where files lie. */
import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { onceLoaded } from '../../lib/once-loaded.ts';
import { LOCAL_PRINCIPAL } from '../../model/principal.ts';
import { type Cipher, createCipher } from '../../store/cipher.ts';
import { createKeySource } from '../../store/key-source.ts';
import type { BuiltinParts } from '../builtin.ts';
import { parseServerOptions } from '../server-options.ts';
import type { SharedItems } from '../shared-item.ts';
import { createFiles, type Files } from './files.ts';
import { findIdentity, type Identity } from './identity.ts';
import { MIGRATIONS, OWNER } from './migrations.ts';
import type { NetworkPlace, OpenNetwork } from './network/network.ts';
import { type IntakeLimits, SHARING_OPTIONS, toIntakeLimits, toNetworkPlace } from './options.ts';
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

/** Whether others can reach us: nobody to reach, another process has it, yes, or it failed. */
export type Presence = 'off' | 'elsewhere' | 'on' | 'failed';

/** What the tools share. */
export interface SharingContext extends Sharing {
  readonly node: {
    /** Something changed: somebody to reach, or something for them. Resolves once that was looked at. */
    wake(): Promise<void>;
    presence(): Promise<Presence>;
  };
}

/** Opens the tables; touches no network. */
export async function openSharing(parts: SharingParts): Promise<Sharing> {
  const options = parseServerOptions(SHARING_OPTIONS, OWNER, parts.options);
  const { db } = await parts.store.tables<SharingTables>(OWNER, MIGRATIONS);
  const principal = parts.principal ?? LOCAL_PRINCIPAL.id;
  const cipher = parts.cipher ?? createOwnCipher(parts.home);
  const now = parts.now ?? (() => new Date());
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
    // A key that cannot be opened now may be later, once the right one is put back.
    identity: onceLoaded(() => findIdentity({ db, principal, cipher, now })),
  };
}

/** The key file of the home, as the store has it; without a home nothing outlives the process, nor need the key. */
function createOwnCipher(home: string | undefined): Cipher {
  if (home !== undefined) {
    const { toSeal, toOpen } = createKeySource({ given: undefined, folder: home });
    return createCipher(toSeal, toOpen);
  }
  const key = randomBytes(32);
  return createCipher(async () => key);
}

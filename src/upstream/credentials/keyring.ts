/** All credentials of the gateway: one set for each instance, found again by upstream, forgotten with it. */
import { GatewayError } from '../../errors/gateway-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { UpstreamId } from '../../model/ids.ts';
import type { CredentialStore } from '../../store/store.ts';
import type { Authoriser, Credentials, ProtectedResource } from './credentials.ts';
import { createOAuthCredentials } from './oauth-credentials.ts';

/** Whose credentials are asked for. */
export interface KeyringEntry {
  readonly upstream: UpstreamId;
  /** The instance; equal instances share their credentials. */
  readonly key: string;
  readonly resource: ProtectedResource;
}

/** The credentials of every instance. */
export interface Keyring {
  open(entry: KeyringEntry): Credentials;
  /** Lets a person log in to a configured server. */
  logIn(upstream: UpstreamId, authoriser: Authoriser): Promise<void>;
  /** Forgets all that was ever given for an upstream, but for instances that are still in use. */
  forget(entry: Pick<KeyringEntry, 'upstream' | 'key'>, inUse: ReadonlySet<string>): Promise<void>;
}

/** What a keyring is made of. */
export interface KeyringOptions {
  readonly store: CredentialStore;
  readonly clock: Clock;
  readonly authoriser?: Authoriser | undefined;
}

/** Creates an empty keyring over a store. */
export function createKeyring(options: KeyringOptions): Keyring {
  const byKey = new Map<string, Credentials>();
  const keys = new Map<UpstreamId, string>();
  return {
    open({ upstream, key, resource }) {
      const credentials = byKey.get(key) ?? createOAuthCredentials({ ...options, upstream, key, resource });
      byKey.set(key, credentials);
      keys.set(upstream, key);
      return credentials;
    },
    async logIn(upstream, authoriser) {
      const credentials = byKey.get(keys.get(upstream) ?? '');
      if (!credentials)
        throw new GatewayError(
          'CONFIG_INVALID',
          `${upstream} takes no login: only servers at a URL that are switched on, fully configured and have no Authorization header do`,
        );
      await credentials.logIn(authoriser);
    },
    async forget({ upstream, key }, inUse) {
      keys.delete(upstream);
      if (!inUse.has(key)) {
        byKey.delete(key);
        // It may be kept in the name of another that shared it and is gone.
        await options.store.remove(key);
      }
      await options.store.removeAll(upstream, inUse);
    },
  };
}

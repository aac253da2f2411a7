/** The OAuth credentials of one instance: kept in the store, renewed once for all who ask, never sent to a stranger. */
import { GatewayError } from '../../errors/gateway-error.ts';
import type { Clock } from '../../lib/clock.ts';
import type { UpstreamId } from '../../model/ids.ts';
import type { CredentialStore } from '../../store/store.ts';
import { toPublicUrl } from '../http/dial.ts';
import type { Headers } from '../upstream.ts';
import { pause } from '../within.ts';
import { parseChallenge, toUnion } from './challenge.ts';
import type { Authoriser, Challenge, Credentials, ProtectedResource } from './credentials.ts';
import { fromStored, type Grant, isSameIssuer, toStored } from './grant.ts';
import { createGuardedFetch, type Fetch } from './guarded-fetch.ts';
import { logIn, offersLogin } from './log-in.ts';
import { findChallenge } from './probe.ts';
import { type FlowParts, obtain, type RefreshOutcome, refresh } from './renew.ts';

/** What the credentials of one instance are made of. */
export interface OAuthCredentialsOptions {
  readonly upstream: UpstreamId;
  /** The instance they belong to. */
  readonly key: string;
  readonly resource: ProtectedResource;
  readonly store: CredentialStore;
  readonly clock: Clock;
  /** Lets somebody log in while the gateway runs; without one it waits for `thimble login`. */
  readonly authoriser?: Authoriser | undefined;
}

/** How long one process alone may renew a token. */
const CLAIM_MS = 30_000;
/** How long that may take in all. */
const REFRESH_MS = 20_000;
const LOOK_AGAIN_MS = 200;
const NEVER = new AbortController().signal;

/** Creates the credentials; nothing is read before a request needs them. */
export function createOAuthCredentials(options: OAuthCredentialsOptions): Credentials {
  return new OAuthCredentials(options);
}

class OAuthCredentials implements Credentials {
  readonly #options: OAuthCredentialsOptions;
  readonly #fetch: Fetch;
  /** What was given so far, the newest first; undefined before it was read. */
  #grants: readonly Grant[] | undefined;
  #renewing: Promise<boolean> | undefined;
  /** The header that was refused for good. */
  #refused: string | undefined;
  /** The header that was renewed for its age, so that a second try is left to the server. */
  #aged: string | undefined;
  /** The scopes that were asked for in vain or by now. */
  readonly #steps = new Set<string>();

  constructor(options: OAuthCredentialsOptions) {
    this.#options = options;
    this.#fetch = createGuardedFetch(options.resource.url);
  }

  headersFor(): Headers | Promise<Headers> {
    if (!this.#grants) return this.#firstLoad().then(() => this.headersFor());
    return this.#isOld() ? this.#renewOld() : this.#headers();
  }

  onUnauthorized(challenge: Challenge): Promise<boolean> {
    if (this.#hasOther(challenge)) return Promise.resolve(true);
    this.#renewing ??= this.#renew(challenge).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  giveUp(sent: string | undefined): void {
    this.#refused = sent;
  }

  async hasUntried(): Promise<boolean> {
    await this.#reload();
    return this.#header !== undefined && this.#header !== this.#refused;
  }

  async logIn(authoriser: Authoriser): Promise<void> {
    const { resource } = this.#options;
    await this.#reload();
    const challenge = await findChallenge(resource.url);
    const parts = this.#toFlow(challenge?.header, this.#grant?.wanted);
    if (!challenge && !(await offersLogin(parts)))
      throw new GatewayError('UPSTREAM_AUTH', `${toPublicUrl(resource.url)} does not ask for a login`);
    if (resource.auth.type === 'client-credentials') await this.#save(await obtain(parts));
    else await this.#logIn(parts, authoriser, this.#grant?.wanted);
  }

  get #grant(): Grant | undefined {
    return this.#grants?.[0];
  }

  get #header(): string | undefined {
    const token = this.#grant?.tokens?.access_token;
    return token === undefined ? undefined : `Bearer ${token}`;
  }

  #headers(): Headers {
    const header = this.#header;
    return header === undefined ? {} : { Authorization: header };
  }

  /** True when there is another token by now than the one that was refused. */
  #hasOther({ sent }: Challenge): boolean {
    return this.#header !== undefined && this.#header !== sent;
  }

  #isOld(): boolean {
    const { expiresAt, tokens } = this.#grant ?? {};
    const canRenew = tokens?.refresh_token !== undefined || this.#options.resource.auth.type !== 'oauth';
    return expiresAt !== undefined && expiresAt <= Date.now() && canRenew && this.#aged !== this.#header;
  }

  async #renewOld(): Promise<Headers> {
    const sent = this.#header;
    this.#aged = sent;
    // The server may take it all the same; if not, it says so and the reason is told then.
    await this.onUnauthorized({ status: 401, header: undefined, sent }).catch(() => {});
    return this.#headers();
  }

  async #renew(challenge: Challenge): Promise<boolean> {
    const { authoriser, resource } = this.#options;
    await this.#reload();
    // Another process, or a person, may have been faster.
    if (this.#hasOther(challenge)) return true;
    if (challenge.status === 403) return this.#stepUp(challenge);
    const wanted = this.#grant?.wanted;
    const parts = this.#toFlow(challenge.header, wanted);
    if (resource.auth.type === 'client-credentials') {
      await this.#save({ ...(await obtain(parts)), wanted });
      return true;
    }
    if (this.#grant?.tokens?.refresh_token !== undefined && (await this.#refresh(parts, challenge)))
      return true;
    this.giveUp(this.#header);
    if (!authoriser) throw this.#toLoginWanted(challenge, 'wants a login');
    await this.#logIn(parts, authoriser, wanted);
    return true;
  }

  /** One process refreshes, the others take what it got: many servers take a refresh token only once. */
  async #refresh(parts: FlowParts, challenge: Challenge): Promise<boolean> {
    const { store, key, clock } = this.#options;
    for (let grant = this.#grant; grant?.tokens?.refresh_token !== undefined; grant = this.#grant) {
      const { issuer } = grant;
      const isOurs = await store.claim(key, issuer, CLAIM_MS);
      if (!isOurs) await pause(LOOK_AGAIN_MS, clock, NEVER);
      // What was read before our turn may be spent by now.
      await this.#reload();
      const isRenewed = this.#hasOther(challenge);
      if (isOurs && !isRenewed && this.#grant?.issuer === issuer)
        return this.#refreshAlone(parts, this.#grant, challenge);
      if (isOurs) await store.release(key, issuer);
      if (isRenewed) return true;
    }
    return false;
  }

  async #refreshAlone(parts: FlowParts, grant: Grant, challenge: Challenge): Promise<boolean> {
    const { store, key } = this.#options;
    const outcome = await this.#refreshInTime(parts, grant).catch(async (error: unknown) => {
      // It may still work later, here or in another process.
      await store.release(key, grant.issuer);
      throw error;
    });
    if (outcome !== 'moved' && outcome !== 'refused') {
      await this.#save(outcome);
      return true;
    }
    await this.#reload();
    const isRefused = this.#grant?.tokens?.refresh_token === grant.tokens?.refresh_token;
    if (outcome === 'refused' && isRefused) await this.#save({ ...grant, tokens: undefined });
    else await store.release(key, grant.issuer);
    // Somebody may have logged in meanwhile.
    return this.#hasOther(challenge);
  }

  /** Ends before the claim does: then another process would send the same token. */
  async #refreshInTime(parts: FlowParts, grant: Grant): Promise<RefreshOutcome> {
    const late = new AbortController();
    const cancel = this.#options.clock.after(REFRESH_MS, () => late.abort());
    const fetch: Fetch = (url, init) => parts.fetch(url, { ...init, signal: late.signal });
    try {
      return await refresh({ ...parts, fetch }, grant);
    } finally {
      cancel();
    }
  }

  /** Asks for more than was granted; never twice for the same. */
  async #stepUp(challenge: Challenge): Promise<boolean> {
    const { authoriser, resource } = this.#options;
    const grant = this.#grant;
    const { scope } = parseChallenge(challenge.header);
    const wanted = toUnion(grant?.wanted, grant?.asked, grant?.tokens?.scope, scope);
    const isNew = wanted !== undefined && !this.#steps.has(wanted);
    this.#steps.add(wanted ?? '');
    const parts = this.#toFlow(challenge.header, wanted);
    if (isNew && resource.auth.type === 'client-credentials') {
      await this.#save({ ...(await obtain(parts)), wanted });
      return true;
    }
    if (isNew && authoriser) {
      await this.#logIn(parts, authoriser, wanted);
      return true;
    }
    this.giveUp(this.#header);
    // The next login of a person asks for it.
    if (isNew && grant) await this.#save({ ...grant, wanted });
    throw this.#toLoginWanted(challenge, `wants more rights${scope === undefined ? '' : ` (${scope})`}`);
  }

  async #logIn(parts: FlowParts, authoriser: Authoriser, wanted: string | undefined): Promise<void> {
    const grant = await logIn({ ...parts, authoriser, grants: this.#grants ?? [] });
    await this.#save({ ...grant, wanted });
  }

  #toFlow(header: string | undefined, wanted: string | undefined): FlowParts {
    const { resource } = this.#options;
    const { scope, resourceMetadataUrl } = parseChallenge(header);
    return {
      resource,
      fetch: this.#fetch,
      resourceMetadataUrl,
      scope: toUnion(wanted, resource.auth.scope, scope),
    };
  }

  /** A store that cannot be read is told to whoever is refused, not to those who need no credentials. */
  async #firstLoad(): Promise<void> {
    await this.#reload().catch(() => {
      this.#grants ??= [];
    });
  }

  async #reload(): Promise<void> {
    const { store, key } = this.#options;
    this.#grants = (await store.load(key)).map(fromStored);
  }

  async #save(grant: Grant): Promise<void> {
    const { store, key, upstream } = this.#options;
    // In use even when it cannot be kept.
    const others = (this.#grants ?? []).filter(({ issuer }) => !isSameIssuer(issuer, grant.issuer));
    this.#grants = [grant, ...others];
    await store.save(key, upstream, toStored(grant));
  }

  #toLoginWanted({ status, sent }: Challenge, problem: string): GatewayError {
    const { resource, upstream } = this.#options;
    return new GatewayError(
      'UPSTREAM_AUTH',
      `${toPublicUrl(resource.url)} ${problem}; run: thimble login ${upstream}`,
      { data: { status, login: upstream, ended: status === 401 && sent !== undefined } },
    );
  }
}

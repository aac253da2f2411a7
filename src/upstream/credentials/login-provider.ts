/** What the SDK's flow asks and remembers during one login of a person; nothing of it outlives the login. */
import { randomBytes } from 'node:crypto';
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import type { ProtectedResource } from './credentials.ts';
import { toAuthError } from './failure.ts';
import { type Grant, isSameIssuer } from './grant.ts';
import { toOwnClient } from './renew.ts';

/** What a login starts from. */
export interface LoginStart {
  readonly resource: ProtectedResource;
  readonly redirectUrl: string;
  /** The grants of earlier logins, the newest first. */
  readonly grants: readonly Grant[];
}

/** One login on its way. */
export class LoginProvider implements OAuthClientProvider {
  readonly redirectUrl: string;
  /** Ties the answer of the authorization server to this login. */
  readonly secretState: string = randomBytes(24).toString('base64url');
  readonly #start: LoginStart;
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #verifier = '';
  #discovered: OAuthDiscoveryState | undefined;
  #authorizationUrl: URL | undefined;

  constructor(start: LoginStart) {
    this.redirectUrl = start.redirectUrl;
    this.#start = start;
  }

  /** Where the person has to go; undefined before the flow knows. */
  get authorizationUrl(): URL | undefined {
    return this.#authorizationUrl;
  }

  /** What the login gave, or undefined when it was not finished. */
  get result():
    | { readonly client: StoredOAuthClientInformation | undefined; tokens: StoredOAuthTokens }
    | undefined {
    return this.#tokens && { client: this.#client, tokens: this.#tokens };
  }

  /** Empty where there is no such document. */
  get clientMetadataUrl(): string {
    return this.#start.resource.auth.clientMetadataUrl ?? '';
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'Thimble',
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    };
  }

  state(): string {
    return this.secretState;
  }

  clientInformation(context?: { readonly issuer: string }): StoredOAuthClientInformation | undefined {
    const { resource } = this.#start;
    const issuer = context?.issuer ?? '';
    const own = toOwnClient(resource);
    if (own) {
      this.#refuseOther(issuer);
      return { ...own, issuer };
    }
    // Never one of an earlier login: it names the address people came back to then, and may be forgotten there.
    return this.#client;
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    if (!toOwnClient(this.#start.resource)) this.#client = client;
  }

  /** Nothing: this login is meant to be a new one. */
  tokens(): undefined {
    return undefined;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }

  redirectToAuthorization(url: URL): void {
    this.#authorizationUrl = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovered = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovered;
  }

  /** The secret of a configured client goes to the server it was used with first, or was said to belong to. */
  #refuseOther(issuer: string): void {
    const { resource, grants } = this.#start;
    const { auth, url } = resource;
    const bound = auth.issuer ?? (auth.clientSecret === undefined ? undefined : grants[0]?.issuer);
    if (bound === undefined || isSameIssuer(bound, issuer)) return;
    throw toAuthError(
      url,
      `now sends its clients to ${JSON.stringify(issuer)}, but "clientId" belongs to ${JSON.stringify(bound)}; if that is right, set "issuer" in "auth"`,
    );
  }
}

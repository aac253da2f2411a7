/** Lets a person log in: the authorization code flow of the SDK, with the person's part left to a port. */
import type { Authoriser } from './credentials.ts';
import { toAuthError, toLoginFailure, toShownCode } from './failure.ts';
import { type Grant, withTokens } from './grant.ts';
import { LoginProvider } from './login-provider.ts';
import type { FlowParts } from './renew.ts';
import { loadSdk } from './sdk.ts';

/** What a login needs beside what every flow does. */
export interface LoginParts extends FlowParts {
  readonly authoriser: Authoriser;
  /** The grants of earlier logins, the newest first. */
  readonly grants: readonly Grant[];
}

/** Runs one login from discovery to tokens. */
export async function logIn(parts: LoginParts): Promise<Grant> {
  const sdk = await loadSdk();
  const { resource, authoriser, grants } = parts;
  const provider = new LoginProvider({ resource, grants, redirectUrl: authoriser.redirectUrl });
  const options = {
    serverUrl: resource.url,
    fetchFn: parts.fetch,
    ...(parts.scope !== undefined && { scope: parts.scope }),
    ...(parts.resourceMetadataUrl && { resourceMetadataUrl: parts.resourceMetadataUrl }),
  };
  try {
    await sdk.auth(provider, { ...options, forceReauthorization: true });
    const answer = await askPerson(parts, provider);
    await sdk.auth(provider, { ...options, ...answer });
    return toGrant(parts, provider);
  } catch (error) {
    throw toLoginFailure(error, resource.url, sdk);
  }
}

/** True when a server that did not refuse us says all the same how to log in to it. */
export async function offersLogin({ resource, fetch }: FlowParts): Promise<boolean> {
  const sdk = await loadSdk();
  return sdk.discoverOAuthProtectedResourceMetadata(resource.url, {}, fetch).then(
    () => true,
    () => false,
  );
}

async function askPerson(
  { resource: { url }, authoriser }: LoginParts,
  provider: LoginProvider,
): Promise<{ authorizationCode: string; iss?: string }> {
  const address = provider.authorizationUrl;
  // Whatever shows the address must not be made to start a program by it.
  if (!address || !/^https?:$/.test(address.protocol))
    throw toAuthError(url, 'its authorization server names no web address to log in at');
  const params = await authoriser.authorise(address);
  if (params.get('state') !== provider.secretState)
    throw toAuthError(url, 'the answer belongs to another login (its state differs); start the login again');
  const code = params.get('code');
  if (!code)
    throw toAuthError(url, `the authorization server let nobody in (${toShownCode(params.get('error'))})`);
  const iss = params.get('iss');
  return { authorizationCode: code, ...(iss !== null && { iss }) };
}

function toGrant({ resource, scope }: LoginParts, { result, authorizationUrl }: LoginProvider): Grant {
  const issuer = result?.tokens.issuer;
  if (!result || issuer === undefined)
    throw toAuthError(resource.url, 'its authorization server gave no token');
  const asked = authorizationUrl?.searchParams.get('scope') ?? scope;
  return withTokens({ issuer, client: result.client, asked }, result.tokens, Date.now());
}

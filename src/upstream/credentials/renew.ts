/** Gets tokens without a person: with a refresh token, or with credentials of the client itself. */
import { GatewayError } from '../../errors/gateway-error.ts';
import type { ProtectedResource } from './credentials.ts';
import { toAuthError, toLoginFailure } from './failure.ts';
import { type Grant, isSameIssuer, withTokens } from './grant.ts';
import type { Fetch } from './guarded-fetch.ts';
import { loadSdk, type Sdk } from './sdk.ts';

/** What a flow needs to know of the server that refused. */
export interface FlowParts {
  readonly resource: ProtectedResource;
  readonly fetch: Fetch;
  readonly resourceMetadataUrl: URL | undefined;
  /** The scopes to ask for; undefined leaves it to what the server's metadata names. */
  readonly scope: string | undefined;
}

/** A refreshed grant, or why there is none: the token is no longer taken, or belongs to another server. */
export type RefreshOutcome = Grant | 'refused' | 'moved';

type ServerFacts = Awaited<ReturnType<Sdk['discoverOAuthServerInfo']>>;

/** Refreshes a grant; throws UPSTREAM_UNAVAILABLE when it may work later. */
export async function refresh(parts: FlowParts, grant: Grant): Promise<RefreshOutcome> {
  const sdk = await loadSdk();
  const { url, auth } = parts.resource;
  const client = grant.client ?? toOwnClient(parts.resource);
  const refreshToken = grant.tokens?.refresh_token;
  if (!client || refreshToken === undefined) return 'refused';
  try {
    const server = await discover(sdk, parts);
    const issuer = issuerOf(server);
    if (!isSameIssuer(issuer, auth.issuer ?? grant.issuer) || !isSameIssuer(issuer, grant.issuer))
      return 'moved';
    const resource = await resourceOf(sdk, parts, server);
    const tokens = await sdk.refreshAuthorization(server.authorizationServerUrl, {
      ...(server.authorizationServerMetadata && { metadata: server.authorizationServerMetadata }),
      ...(resource !== undefined && { resource }),
      clientInformation: client,
      refreshToken,
      fetchFn: parts.fetch,
    });
    return withTokens(grant, { ...tokens, issuer: grant.issuer }, Date.now());
  } catch (error) {
    if (error instanceof sdk.OAuthError && isFinal(error, sdk)) return 'refused';
    if (error instanceof sdk.OAuthError)
      throw new GatewayError(
        'UPSTREAM_UNAVAILABLE',
        toAuthError(url, 'its authorization server cannot refresh the login now; it is tried again').message,
      );
    throw toLoginFailure(error, url, sdk);
  }
}

/** Gets tokens for the client of the configuration itself. */
export async function obtain(parts: FlowParts): Promise<Grant> {
  const sdk = await loadSdk();
  const { url, auth } = parts.resource;
  try {
    if (auth.issuer === undefined) throw await toIssuerWanted(sdk, parts);
    const provider = toProvider(sdk, parts.resource, auth.issuer);
    await sdk.auth(provider, {
      serverUrl: url,
      fetchFn: parts.fetch,
      ...(parts.scope !== undefined && { scope: parts.scope }),
      ...(parts.resourceMetadataUrl && { resourceMetadataUrl: parts.resourceMetadataUrl }),
    });
    const tokens = provider.tokens();
    if (!tokens) throw toAuthError(url, 'its authorization server gave no token');
    return withTokens({ issuer: tokens.issuer ?? auth.issuer, asked: parts.scope }, tokens, Date.now());
  } catch (error) {
    throw toLoginFailure(error, url, sdk);
  }
}

/** The client of the configuration; undefined when it names none. */
export function toOwnClient({ auth }: ProtectedResource): { client_id: string } | undefined {
  const { clientId, clientSecret } = auth;
  if (clientId === undefined) return undefined;
  return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
}

function toProvider(sdk: Sdk, { auth }: ProtectedResource, expectedIssuer: string) {
  const { clientId = '', clientSecret = '', privateKey, algorithm } = auth;
  const common = { clientId, clientName: 'Thimble', expectedIssuer };
  if (privateKey !== undefined) return new sdk.PrivateKeyJwtProvider({ ...common, privateKey, algorithm });
  return new sdk.ClientCredentialsProvider({ ...common, clientSecret });
}

/** Nobody watches this login, so that the server alone would say where the secret goes. */
async function toIssuerWanted(sdk: Sdk, parts: FlowParts): Promise<GatewayError> {
  const found = issuerOf(await discover(sdk, parts));
  return toAuthError(
    parts.resource.url,
    `sends its clients to ${JSON.stringify(found)}; if your client belongs there, say so: "auth": { "issuer": … }`,
  );
}

function discover(sdk: Sdk, { resource, fetch, resourceMetadataUrl }: FlowParts): Promise<ServerFacts> {
  return sdk.discoverOAuthServerInfo(resource.url, {
    fetchFn: fetch,
    ...(resourceMetadataUrl && { resourceMetadataUrl }),
  });
}

function issuerOf({ authorizationServerMetadata, authorizationServerUrl }: ServerFacts): string {
  return authorizationServerMetadata?.issuer ?? authorizationServerUrl;
}

/** What the token is for, in the words of the server's own metadata; throws when those are not about the server. */
async function resourceOf(
  sdk: Sdk,
  { resource }: FlowParts,
  server: ServerFacts,
): Promise<string | undefined> {
  const said = server.resourceMetadata?.resource;
  if (said === undefined) return undefined;
  const requestedResource = sdk.resourceUrlFromServerUrl(resource.url);
  if (sdk.checkResourceAllowed({ requestedResource, configuredResource: said })) return said;
  throw toAuthError(resource.url, 'describes itself as another server, so that no token is asked for');
}

function isFinal({ code }: InstanceType<Sdk['OAuthError']>, { OAuthErrorCode }: Sdk): boolean {
  const temporary: readonly string[] = [
    OAuthErrorCode.ServerError,
    OAuthErrorCode.TemporarilyUnavailable,
    OAuthErrorCode.TooManyRequests,
  ];
  return !temporary.includes(code);
}

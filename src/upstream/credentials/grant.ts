/** What one authorization server gave us for one instance, and how it is kept. */
import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { StoredCredential } from '../../store/store.ts';

/** Who we are to an authorization server and what it lets us do; all of it stays between the two. */
export interface Grant {
  readonly issuer: string;
  /** How the authorization server knows us; undefined for a client of the configuration. */
  readonly client?: StoredOAuthClientInformation | undefined;
  readonly tokens?: StoredOAuthTokens | undefined;
  /** When the access token ends, in milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
  /** The scopes that were asked for. */
  readonly asked?: string | undefined;
  /** The scopes a later login has to ask for, since a call was refused for want of them. */
  readonly wanted?: string | undefined;
}

/** A grant with fresh tokens. */
export function withTokens(grant: Grant, tokens: StoredOAuthTokens, now: number): Grant {
  const lifetime = tokens.expires_in;
  return { ...grant, tokens, expiresAt: lifetime === undefined ? undefined : now + lifetime * 1_000 };
}

/** A grant as the store keeps it. */
export function toStored({ issuer, ...secret }: Grant): StoredCredential {
  return { issuer, secret: JSON.parse(JSON.stringify(secret)) as JsonObject };
}

/** A grant as the store gave it back; what it holds was checked when it was made. */
export function fromStored({ issuer, secret }: StoredCredential): Grant {
  const { client, tokens, expiresAt, asked, wanted } = secret;
  return {
    issuer,
    client: isJsonObject(client) ? (client as unknown as StoredOAuthClientInformation) : undefined,
    tokens: isJsonObject(tokens) ? (tokens as unknown as StoredOAuthTokens) : undefined,
    expiresAt: typeof expiresAt === 'number' ? expiresAt : undefined,
    asked: typeof asked === 'string' ? asked : undefined,
    wanted: typeof wanted === 'string' ? wanted : undefined,
  };
}

/** True for two spellings of one issuer: a slash at the end does not tell two servers apart. */
export function isSameIssuer(a: string, b: string): boolean {
  return a.replace(/\/$/, '') === b.replace(/\/$/, '');
}

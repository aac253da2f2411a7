/** Turns what the OAuth flow threw into an error a person can act on; foreign text and secrets stay out of it. */
import { GatewayError } from '../../errors/gateway-error.ts';
import { toPublicUrl } from '../http/dial.ts';
import type { Sdk } from './sdk.ts';

/** The error codes of OAuth that may be shown; anything else in a code is foreign text. */
const OAUTH_CODE = /^[a-z_]{1,40}$/;

/** The error for a login that failed; ours pass through. */
export function toLoginFailure(thrown: unknown, url: URL, sdk: Sdk): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  return toAuthError(url, `the login failed: ${explain(thrown, sdk)}`);
}

/** An error about the login to one server. */
export function toAuthError(url: URL, problem: string): GatewayError {
  return new GatewayError('UPSTREAM_AUTH', `${toPublicUrl(url)}: ${problem}`);
}

/** What an authorization server's error code says, when it is one. */
export function toShownCode(code: string | null | undefined): string {
  return code && OAUTH_CODE.test(code) ? code : 'no reason that can be shown';
}

function explain(thrown: unknown, sdk: Sdk): string {
  if (thrown instanceof sdk.OAuthError)
    return `the authorization server refused it (${toShownCode(thrown.code)})`;
  if (thrown instanceof sdk.IssuerMismatchError)
    return thrown.kind === 'metadata'
      ? 'the authorization server goes by another name than it was found under'
      : 'the answer came from another authorization server than was asked';
  if (thrown instanceof sdk.RegistrationRejectedError)
    return `the authorization server does not register us (status ${thrown.status}); give "auth" a "clientId"`;
  if (thrown instanceof sdk.AuthorizationServerMismatchError)
    return 'the server names another authorization server than the one its credentials belong to';
  if (thrown instanceof sdk.InsecureTokenEndpointError) return 'its token endpoint is not reached over https';
  // Other errors of the SDK say what they expected; those of parsers quote what they read.
  if (thrown instanceof Error && thrown.constructor === Error)
    return JSON.stringify(thrown.message.slice(0, 200));
  return 'the authorization server sent something that cannot be understood';
}

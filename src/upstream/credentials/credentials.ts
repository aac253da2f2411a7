/** The contracts of credentials for servers that ask for them: what a channel uses, what a person has to do. */
import type { Headers } from '../upstream.ts';
import type { AuthOptions } from './auth-options.ts';

/** A request was refused for want of credentials. */
export interface Challenge {
  readonly status: number;
  /** The text of `WWW-Authenticate`. */
  readonly header: string | undefined;
  /** The `Authorization` header the refused request carried. */
  readonly sent: string | undefined;
}

/** The credentials of one instance; shared by all its links. */
export interface Credentials {
  /** The headers the next request carries; at once, unless they must be read or renewed first. */
  headersFor(): Headers | Promise<Headers>;
  /** Renews what was refused; true when the request may be sent again. Throws UPSTREAM_AUTH with what to do. */
  onUnauthorized(challenge: Challenge): Promise<boolean>;
  /** A header was refused though it was fresh: it is not tried again by itself. */
  giveUp(sent: string | undefined): void;
  /** True when there is a login that was not refused yet, such as one a person has just made. */
  hasUntried(): Promise<boolean>;
  /** Lets a person log in, whatever is there already. */
  logIn(authoriser: Authoriser): Promise<void>;
}

/** How a person gets to the authorization server and back. */
export interface Authoriser {
  /** Where the authorization server sends the person afterwards. */
  readonly redirectUrl: string;
  /** Shows the address to the person; resolves with what the authorization server sent them back with. */
  authorise(url: URL): Promise<URLSearchParams>;
}

/** What a login is for: one server, and how to log in to it. */
export interface ProtectedResource {
  readonly url: URL;
  readonly auth: AuthOptions;
}

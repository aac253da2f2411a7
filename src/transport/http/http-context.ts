/** What every face of the HTTP server works with. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Feed } from '../../events/feed.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Principal } from '../../model/principal.ts';
import type { Sessions } from '../../session/session.ts';
import type { Shares } from '../../session/shares.ts';
import type { CallCounter } from '../calls.ts';

/** The parts a face needs, made once and handed in. */
export interface HttpContext {
  readonly sessions: Sessions;
  readonly principal: Principal;
  readonly feed: Feed;
  readonly clock: Clock;
  readonly calls: CallCounter;
  /** True for an `Authorization` that holds the local token. */
  readonly isOwner?: ((authorization: string) => boolean) | undefined;
  /** What is shared; undefined where nothing can be. */
  readonly shares?: Pick<Shares, 'list' | 'used'> | undefined;
}

/** A request of the client and the answer to it. */
export interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

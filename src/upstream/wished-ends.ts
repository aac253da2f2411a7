/** Links that we end ourselves while calls run over them: those calls are told why, not only that the link was closed. */
import { GatewayError } from '../errors/gateway-error.ts';
import type { ErrorCode } from '../errors/table.ts';
import type { Supervisor } from './supervisor.ts';
import type { Connection } from './upstream.ts';

/** The ends that somebody wished for. */
export interface WishedEnds extends Pick<Supervisor, 'restart' | 'end'> {
  /** What went wrong with a call over a link, in the words of whoever ended that link. */
  explain(error: unknown, connection: Connection): unknown;
}

/** Ends links as a supervisor does, and remembers why. */
export function createWishedEnds(
  name: string,
  supervisor: Pick<Supervisor, 'live' | 'restart' | 'end'>,
): WishedEnds {
  const ends = new WeakMap<Connection, GatewayError>();

  function note(code: ErrorCode, what: string): void {
    if (!supervisor.live) return;
    const text = `${name}: ${what} while this call ran, so nobody knows what came of it; it can be called again`;
    ends.set(supervisor.live, new GatewayError(code, text, { data: { upstream: name } }));
  }

  return {
    restart(reason) {
      note('UPSTREAM_UNAVAILABLE', `was restarted (${reason})`);
      return supervisor.restart(reason);
    },
    end(reason) {
      note('UPSTREAM_EXITED', `was ended, since ${reason},`);
      supervisor.end(reason);
    },
    explain(error, connection) {
      // Only of a link that was closed under a call; what a caller or the server did to it stays as it is.
      const isLost = error instanceof GatewayError && error.code === 'UPSTREAM_UNAVAILABLE';
      return (isLost && ends.get(connection)) || error;
    },
  };
}

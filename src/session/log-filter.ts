/** Lets a client hear only the log messages it asked for. */
import type { CallContext, ClientPort } from '../model/call.ts';
import { isAtLeast } from '../model/log-level.ts';

const MESSAGE = 'notifications/message';

/** The client port of a call with unwanted log messages left out. */
export function withLogFilter(
  client: ClientPort,
  { facts, logLevel }: Pick<CallContext, 'facts' | 'logLevel'>,
): ClientPort {
  return {
    ...client,
    notify(method, params) {
      if (method === MESSAGE && !isWanted(params['level'])) return;
      client.notify(method, params);
    },
  };

  function isWanted(level: unknown): boolean {
    // A legacy client that set no level leaves it to the server; a modern one that named none wants none.
    if (logLevel === undefined) return facts.era === 'legacy';
    return isAtLeast(level, logLevel);
  }
}

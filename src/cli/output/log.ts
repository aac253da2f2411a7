/** Writes gateway news for people to stderr, one line each; never to stdout, which may carry the protocol. */
import { GatewayError } from '../../errors/gateway-error.ts';
import type { GatewayEvent } from '../../events/events.ts';
import type { Feed, Unsubscribe } from '../../events/feed.ts';

/** Prints news from now on; quiet ones only when `verbose`. */
export function logToStderr(feed: Feed, verbose: boolean): Unsubscribe {
  return feed.on((event) => {
    const line = toLine(event, verbose);
    if (line !== undefined) process.stderr.write(`${line}\n`);
  });
}

/** The line for an event, or undefined when a person need not hear of it. */
export function toLine(event: GatewayEvent, verbose: boolean): string | undefined {
  switch (event.type) {
    case 'upstream.state':
      if (!verbose && !isTrouble(event.state)) return undefined;
      return `${event.upstream}: ${event.state}${event.detail === '' ? '' : ` (${event.detail})`}`;
    case 'upstream.manifest':
      return event.changed ? `${event.upstream}: ${event.tools} tools` : undefined;
    case 'upstream.noise':
      return verbose
        ? `${event.upstream}: ${event.badLines} lines on stdout were no messages and were skipped`
        : undefined;
    case 'catalog.changed':
      return verbose ? `catalogue: ${event.tools} tools` : undefined;
    case 'names.changed':
      return verbose || event.reason === 'lookalike' ? toNamesLine(event) : undefined;
    case 'config.reloaded':
      return `configuration: took over the changes in ${event.path}`;
    case 'config.rejected':
      return `configuration: kept the last good one, since ${event.path} cannot be used:\n${event.reason}`;
    case 'store.degraded':
      return `store: nothing is kept between runs, since ${event.reason}`;
    case 'fault':
      return `fault in ${event.where}: ${toDetail(event.error)}`;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  clash: 'other servers have tools of the same name',
  lookalike: 'names of other servers look the same',
  reserved: "the names are the gateway's own",
  malformed: 'clients would refuse the names',
};

function toNamesLine({ upstream, reason, names }: Extract<GatewayEvent, { type: 'names.changed' }>): string {
  const shown = names.slice(0, 3).map(({ name, publicName }) => `${JSON.stringify(name)} as ${publicName}`);
  const rest = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  return `${upstream}: shows ${shown.join(', ')}${rest}, since ${REASONS[reason] ?? reason}`;
}

function isTrouble(state: string): boolean {
  return state === 'offline' || state === 'awaiting_config' || state === 'needs_auth';
}

function toDetail(error: unknown): string {
  if (error instanceof GatewayError) return toDetail(error.cause ?? error.message);
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

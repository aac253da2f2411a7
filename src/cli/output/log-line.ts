/** What the log says of each piece of news: how grave it is, its words for a person, its facts for a program. */
import { GatewayError } from '../../errors/gateway-error.ts';
import type { GatewayEvent } from '../../events/events.ts';
import type { JsonObject, JsonValue } from '../../model/json.ts';
import { STATES, type StateName } from '../../upstream/states.ts';

/** How grave news is, the gravest first. */
export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;

/** One of the levels. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One piece of news as it is logged. */
export interface LogEntry {
  readonly level: LogLevel;
  readonly event: GatewayEvent['type'];
  /** For a person. */
  readonly text: string;
  /** For a program. */
  readonly facts: JsonObject;
}

/** The entry of an event. */
export function toEntry(event: GatewayEvent): LogEntry {
  return { level: toLevel(event), event: event.type, text: toWords(event), facts: toFacts(event) };
}

/** The line for a person; what others said in it cannot pass for lines of ours or steer a terminal. */
export function toTextLine({ level, text }: LogEntry, time: string | undefined): string {
  const safe = text.replaceAll(CONTROLS, '\uFFFD').replaceAll('\n', '\n  ');
  return time === undefined ? safe : `${time} ${level.padEnd(5)} ${safe}`;
}

/** The line for a program: one JSON object. */
export function toJsonLine({ level, event, text, facts }: LogEntry, time: string): string {
  return JSON.stringify({ time, level, event, message: text, ...facts });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

function toLevel(event: GatewayEvent): LogLevel {
  switch (event.type) {
    case 'fault':
      return 'error';
    case 'config.missing':
    case 'config.untrusted':
    case 'config.doubtful':
    case 'config.rejected':
    case 'store.degraded':
    case 'request.failed':
      return 'warn';
    case 'upstream.state':
      return isTrouble(event.state) ? 'warn' : 'debug';
    case 'upstream.manifest':
      return event.changed ? 'info' : 'debug';
    case 'names.changed':
      return event.reason === 'lookalike' ? 'warn' : 'debug';
    case 'schema.unchecked':
    case 'config.reloaded':
      return 'info';
    default:
      return 'debug';
  }
}

function toWords(event: GatewayEvent): string {
  switch (event.type) {
    case 'upstream.state':
      return `${event.upstream}: ${event.state}${event.detail === '' ? '' : ` (${event.detail})`}`;
    case 'upstream.manifest':
      return `${event.upstream}: ${event.tools} tools`;
    case 'upstream.noise':
      return `${event.upstream}: ${event.badLines} lines on stdout were no messages and were skipped`;
    case 'catalog.changed':
      return `catalogue: ${event.tools} tools`;
    case 'names.changed':
      return toNamesLine(event);
    case 'schema.unchecked':
      return `${event.upstream}: arguments of ${event.tool} are not checked, since its schema cannot be used: ${event.reason}`;
    case 'config.reloaded':
      return `configuration: took over the changes in ${event.path}${toPending(event.pending)}`;
    case 'config.missing':
      return `configuration: none found, so only the built-in servers are there; looked for ${event.looked}; create one of them, or name one with --config`;
    case 'config.untrusted':
      return `configuration: ${event.path} was found here and refers to sealed values that Thimble did not put into it, so they are not given to it; if it is yours, name it with --config`;
    case 'config.doubtful':
      return `configuration: ${event.doubts.join('; ')}`;
    case 'config.rejected':
      return `configuration: kept the last good one, since ${event.path} cannot be used:\n${event.reason}`;
    case 'store.degraded':
      return `store: nothing is kept between runs, since ${event.reason}`;
    case 'request.failed':
      return `${event.where}: ${event.message} (${event.code}, fault ${event.fault})`;
    case 'fault':
      return `fault${event.fault === undefined ? '' : ` ${event.fault}`} in ${event.where}: ${toDetail(event.error)}`;
    default:
      return (event as GatewayEvent).type;
  }
}

/** The members of an event that are plain values: errors and other objects are in the words. */
function toFacts(event: GatewayEvent): JsonObject {
  const plain = Object.entries(event).filter(
    ([key, value]) =>
      !OWN_MEMBERS.has(key) && (typeof value !== 'object' || (Array.isArray(value) && value.length <= 20)),
  );
  return Object.fromEntries(plain as [string, JsonValue][]);
}

const OWN_MEMBERS: ReadonlySet<string> = new Set(['type', 'time', 'level', 'event', 'message']);

function toPending(settings: readonly string[] = []): string {
  return settings.length === 0 ? '' : `; restart to change ${settings.join(' and ')}`;
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
  return Object.hasOwn(STATES, state) && !STATES[state as StateName].callable;
}

function toDetail(error: unknown): string {
  if (error instanceof GatewayError) return toDetail(error.cause ?? error.message);
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

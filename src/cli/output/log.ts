/** Writes gateway news, one line each, as text or JSON, to stderr or a file; never to stdout, which may carry the protocol. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { toMessage } from '../../errors/from-unknown.ts';
import { GatewayError } from '../../errors/gateway-error.ts';
import type { GatewayEvent } from '../../events/events.ts';
import type { Feed } from '../../events/feed.ts';
import { type LogLevel, toEntry, toJsonLine, toTextLine } from './log-line.ts';

/** How news is written. */
export interface LogOptions {
  /** Nothing less grave than this is written. */
  readonly level: LogLevel;
  readonly format: 'text' | 'json';
  /** Where to append; stderr without it. */
  readonly file?: string | undefined;
}

/** Where lines go. */
export interface LogSink extends Disposable {
  write(line: string): void;
}

const GRAVITY: Readonly<Record<LogLevel, number>> = { error: 0, warn: 1, info: 2, debug: 3 };
/** Characters that may wait for whoever reads stderr; what is more is dropped and counted. */
const BACKLOG_LIMIT = 1024 * 1024;

/** Writes news from now on; disposing ends that. */
export function openLog(feed: Feed, options: LogOptions, sink: LogSink = openSink(options.file)): Disposable {
  const lastTrouble = new Map<string, string>();
  /** A server that is tried again and again fails for the same reason: that is said once, until it changes. */
  const isRepeated = (event: GatewayEvent, text: string): boolean => {
    if (event.type === 'upstream.manifest') lastTrouble.delete(event.upstream);
    if (event.type !== 'upstream.state' || toEntry(event).level !== 'warn') return false;
    const repeated = lastTrouble.get(event.upstream) === text;
    lastTrouble.set(event.upstream, text);
    return repeated;
  };
  const write = (event: GatewayEvent) => {
    const entry = toEntry(event);
    if (GRAVITY[entry.level] > GRAVITY[options.level] || isRepeated(event, entry.text)) return;
    const time = new Date().toISOString();
    // On a terminal the person was there; in a file the time is half of what is asked.
    const stamp = options.file === undefined ? undefined : time;
    sink.write(options.format === 'json' ? toJsonLine(entry, time) : toTextLine(entry, stamp));
  };
  const stop = feed.on(write);
  return {
    [Symbol.dispose]() {
      stop();
      sink[Symbol.dispose]();
    },
  };
}

function openSink(file: string | undefined): LogSink {
  return file === undefined ? openStderrSink() : openFileSink(file);
}

/** Whoever read it may have gone; nobody is served worse for that. */
function bear(): void {}

function openStderrSink(): LogSink {
  // It stays when the log is closed: what was written last may fail afterwards.
  if (!process.stderr.listeners('error').includes(bear)) process.stderr.on('error', bear);
  let dropped = 0;
  return {
    write(line) {
      if (process.stderr.writableLength > BACKLOG_LIMIT) {
        dropped += 1;
        return;
      }
      if (dropped > 0) process.stderr.write(`(${dropped} lines were dropped, since nobody read them)\n`);
      dropped = 0;
      process.stderr.write(`${line}\n`);
    },
    [Symbol.dispose]() {},
  };
}

function openFileSink(path: string): LogSink {
  const file = openForAppend(path);
  return {
    // Written at once: the last line before an end is the one that is looked for.
    write: (line) => void writeSync(file, `${line}\n`),
    [Symbol.dispose]: () => closeSync(file),
  };
}

function openForAppend(path: string): number {
  try {
    // What servers say of themselves may be private: the file is its owner's.
    return openSync(path, 'a', 0o600);
  } catch (error) {
    throw new GatewayError(
      'CONFIG_INVALID',
      `cannot write the log to ${path} (${toMessage(error)}); choose another with --log-file`,
      { cause: error },
    );
  }
}

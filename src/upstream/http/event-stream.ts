/** Reads the events of one HTTP answer until it ends. */
import type { IncomingMessage } from 'node:http';
import { type Message, parseMessage } from '../../wire/message.ts';
import { createSseParser, type SseSink } from '../../wire/sse-parser.ts';

/** True when the answer is a stream of events. */
export function isEventStream(response: IncomingMessage): boolean {
  return response.headers['content-type']?.toLowerCase().startsWith('text/event-stream') === true;
}

/** Feeds the sink; resolves when the stream ends, in whatever way. */
export function readEvents(response: IncomingMessage, limitBytes: number, sink: SseSink): Promise<void> {
  const parse = createSseParser(limitBytes, sink);
  return new Promise((resolve) => {
    response.on('data', parse);
    response.on('error', () => resolve());
    response.on('close', () => resolve());
  });
}

/** The messages in the text of an event or a body; undefined when it holds anything else. */
export function parseMessages(text: string): readonly Message[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // Revision 2025-03-26 allowed batches.
  const messages = (Array.isArray(value) ? value : [value]).map(parseMessage);
  return messages.every((message) => message !== undefined) ? messages : undefined;
}

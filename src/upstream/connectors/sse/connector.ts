/** Reaches old servers that speak the HTTP+SSE pair of revision 2024-11-05. */
import * as z from 'zod';
import { DEFAULT_LINE_LIMIT } from '../../../wire/line-channel.ts';
import { toPublicUrl } from '../../http/dial.ts';
import { createSseChannel } from '../../http/sse-channel.ts';
import { maxMessageBytes, readOptions } from '../../read-options.ts';
import type { Connector } from '../../upstream.ts';

const OPTIONS = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).describe('the address of the event stream, mostly ending in /sse'),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe('headers of every request; references in their text are resolved'),
  maxMessageBytes,
});

/** The connector for the old pair; it must be named, since `http` finds such servers by itself. */
export const sse: Connector = {
  kind: 'sse',
  summary: 'an old server at a URL, over HTTP with server-sent events',
  options: OPTIONS,
  recognises: () => false,
  describe: (options) => toPublicUrl(new URL(String(options['url']))),
  async open(raw, ports) {
    ports.signal.throwIfAborted();
    const options = readOptions(OPTIONS, raw);
    const channel = createSseChannel({
      url: new URL(options.url),
      headers: options.headers ?? {},
      limitBytes: options.maxMessageBytes ?? DEFAULT_LINE_LIMIT,
    });
    return { channel, notes: () => ({ badLines: 0, stderr: [], pid: undefined }) };
  },
};

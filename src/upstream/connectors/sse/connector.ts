/** Reaches old servers that speak the HTTP+SSE pair of revision 2024-11-05. */
import * as z from 'zod';
import { toChannelOptions, toResource, URL_OPTIONS } from '../../http/channel-options.ts';
import { createSseChannel } from '../../http/sse-channel.ts';
import type { Connector } from '../../upstream.ts';

const OPTIONS = z.strictObject({
  ...URL_OPTIONS.shape,
  url: URL_OPTIONS.shape.url.describe('the address of the event stream, mostly ending in /sse'),
});

/** The connector for the old pair; it must be named, since `http` finds such servers by itself. */
export const sse: Connector = {
  kind: 'sse',
  summary: 'an old server at a URL, over HTTP with server-sent events',
  options: OPTIONS,
  recognises: () => false,
  resource: toResource,
  async open(raw, ports) {
    ports.signal.throwIfAborted();
    const channel = createSseChannel(toChannelOptions(raw, ports));
    return { channel, notes: () => ({ badLines: 0, stderr: [], pid: undefined }) };
  },
};

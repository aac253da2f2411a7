/** Reaches servers at a URL over Streamable HTTP, in both eras. */
import { toChannelOptions, toResource, URL_OPTIONS } from '../../http/channel-options.ts';
import type { Connector } from '../../upstream.ts';
import { createHttpChannel } from './channel.ts';

/** The connector for servers at a URL. */
export const http: Connector = {
  kind: 'http',
  summary: 'a server at a URL, over Streamable HTTP',
  options: URL_OPTIONS,
  recognises: (options) => typeof options['url'] === 'string',
  resource: toResource,
  async open(raw, ports) {
    ports.signal.throwIfAborted();
    const channel = createHttpChannel({ ...toChannelOptions(raw, ports), clock: ports.clock });
    return { channel, notes: () => ({ badLines: 0, stderr: [], pid: undefined }) };
  },
};

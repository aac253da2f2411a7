/** Reaches servers at a URL over Streamable HTTP, in both eras. */
import * as z from 'zod';
import type { JsonObject } from '../../../model/json.ts';
import { DEFAULT_LINE_LIMIT } from '../../../wire/line-channel.ts';
import { AUTH_OPTIONS, DEFAULT_AUTH } from '../../credentials/auth-options.ts';
import type { ProtectedResource } from '../../credentials/credentials.ts';
import { toPublicUrl } from '../../http/dial.ts';
import { maxMessageBytes, readOptions } from '../../read-options.ts';
import type { Connector } from '../../upstream.ts';
import { createHttpChannel } from './channel.ts';

const OPTIONS = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).describe('the address of the MCP endpoint'),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe('headers of every request; references in their text are resolved'),
  auth: AUTH_OPTIONS.optional().describe('how to log in, where the server asks for it'),
  maxMessageBytes,
});

/** The connector for servers at a URL. */
export const http: Connector = {
  kind: 'http',
  summary: 'a server at a URL, over Streamable HTTP',
  options: OPTIONS,
  recognises: (options) => typeof options['url'] === 'string',
  describe: (options) => toPublicUrl(new URL(String(options['url']))),
  resource: toResource,
  async open(raw, ports) {
    ports.signal.throwIfAborted();
    const options = readOptions(OPTIONS, raw);
    const channel = createHttpChannel({
      url: new URL(options.url),
      headers: options.headers ?? {},
      credentials: ports.credentials,
      limitBytes: options.maxMessageBytes ?? DEFAULT_LINE_LIMIT,
      clock: ports.clock,
    });
    return { channel, notes: () => ({ badLines: 0, stderr: [], pid: undefined }) };
  },
};

/** A server that is given an Authorization header needs no login. */
function toResource(raw: JsonObject): ProtectedResource | undefined {
  const { success, data } = OPTIONS.safeParse(raw);
  if (!success || Object.keys(data.headers ?? {}).some((name) => /^authorization$/i.test(name)))
    return undefined;
  return { url: new URL(data.url), auth: data.auth ?? DEFAULT_AUTH };
}

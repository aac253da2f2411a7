/** What people may write about a server at a URL, and what the channel to it is made of. */
import * as z from 'zod';
import type { JsonObject } from '../../model/json.ts';
import { DEFAULT_LINE_LIMIT } from '../../wire/line-channel.ts';
import { AUTH_OPTIONS, DEFAULT_AUTH } from '../credentials/auth-options.ts';
import type { Credentials, ProtectedResource } from '../credentials/credentials.ts';
import { maxMessageBytes, readOptions } from '../read-options.ts';
import type { ConnectorPorts, Headers } from '../upstream.ts';

/** Where an HTTP channel dials. */
export interface HttpChannelOptions {
  readonly url: URL;
  readonly headers: Headers;
  /** For servers that ask for a login. */
  readonly credentials?: Credentials | undefined;
  readonly limitBytes: number;
}

/** The options of a connector that dials a URL. */
export const URL_OPTIONS = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).describe('the address of the MCP endpoint'),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe('headers of every request; references in their text are resolved'),
  auth: AUTH_OPTIONS.optional().describe('how to log in, where the server asks for it'),
  maxMessageBytes,
});

/** Reads those options; throws CONFIG_INVALID. */
export function toChannelOptions(raw: JsonObject, { credentials }: ConnectorPorts): HttpChannelOptions {
  const options = readOptions(URL_OPTIONS, raw);
  return {
    url: new URL(options.url),
    headers: options.headers ?? {},
    credentials,
    limitBytes: options.maxMessageBytes ?? DEFAULT_LINE_LIMIT,
  };
}

/** What a login is for; a server that is given an Authorization header needs none. */
export function toResource(raw: JsonObject): ProtectedResource | undefined {
  const { success, data } = URL_OPTIONS.safeParse(raw);
  if (!success || Object.keys(data.headers ?? {}).some((name) => /^authorization$/i.test(name)))
    return undefined;
  return { url: new URL(data.url), auth: data.auth ?? DEFAULT_AUTH };
}

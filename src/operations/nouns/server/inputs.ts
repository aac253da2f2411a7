/** The inputs that verbs of servers share: one name means one thing in all of them. */
import * as z from 'zod';

/** A configured server, or one of the registry. */
export const NAME = z.string().trim().min(1).max(250).describe('the server');

/** The same where it may be left out. */
export const ANY_NAME = NAME.optional().describe('the server');

const VALUE_NAME = /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_.-]{0,99}$/;
const HEADER_NAME = /^(?!__proto__$)[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;

/** Values by name: variables of a program, or whatever else a server of the registry asks for. */
export const ENV = z
  .record(z.string(), z.string().max(20_000))
  .refine((values) => Object.keys(values).every((name) => VALUE_NAME.test(name)), {
    error: 'holds a name that cannot be one of a variable; use letters, digits, _ . and -',
  })
  .optional()
  .describe('values it is given, such as GITHUB_TOKEN=…; secrets are kept sealed');

/** Headers of every request. */
export const HEADERS = z
  .record(z.string(), z.string().max(20_000))
  .refine((headers) => Object.keys(headers).every((name) => HEADER_NAME.test(name)), {
    error: 'holds a name that cannot be one of a header',
  })
  .refine((headers) => !Object.values(headers).some((value) => /[\r\n]/.test(value)), {
    error: 'holds a line break, which no header may',
  })
  .optional()
  .describe('headers of every request, for a server at a URL');

/** The program to start. */
export const COMMAND = z
  .string()
  .min(1)
  .max(1_000)
  .optional()
  .describe('the program to start; never a shell');

/** Its arguments. */
export const ARGS = z.array(z.string().max(20_000)).max(200).optional().describe('its arguments, one each');

/** An address. */
export const URL_INPUT = z
  .string()
  .min(1)
  .max(2_000)
  .optional()
  .describe('the address of its MCP endpoint; sse:<address> for the older way');

/** Another name. */
export const ALIAS = z.string().min(1).max(64).optional().describe('the name it gets here');

/** Leaves the trial out. */
export const UNTESTED = z.boolean().default(false).describe('write it without trying it first');

/** Replaces what is there. */
export const FORCE = z.boolean().default(false).describe('replace or upgrade one that is configured');

/** One tool. */
export const TOOL = z.string().min(1).max(200).optional().describe('only this tool of it');

/** The address and kind of an entry; `sse:` before it means the older way. */
export function toAddress(url: string): { readonly type: 'http' | 'sse'; readonly url: string } {
  return url.startsWith('sse:') ? { type: 'sse', url: url.slice(4) } : { type: 'http', url };
}

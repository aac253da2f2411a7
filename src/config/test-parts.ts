/** Small connectors for the tests of the configuration; they describe options and reach nothing. */
import * as z from 'zod';
import type { JsonObject } from '../model/json.ts';
import type { Connector } from '../upstream/upstream.ts';
import type { ConfigParts } from './schema.ts';

function define(kind: string, key: string | undefined, options: z.ZodObject): Connector {
  return {
    kind,
    summary: `A server reached by ${kind}.`,
    options,
    recognises: (entry: JsonObject) => key !== undefined && typeof entry[key] === 'string',
    open: () => Promise.reject(new Error('this connector reaches nothing')),
  };
}

/** Connectors like the real ones, and three modes. */
export const TEST_PARTS: ConfigParts = {
  modes: ['auto', 'direct', 'search', 'category'],
  builtins: [],
  connectors: [
    define(
      'stdio',
      'command',
      z.object({
        command: z.string().min(1).describe('The program.'),
        args: z.array(z.string()).default([]).describe('Its arguments.'),
        env: z.record(z.string(), z.string()).default({}).describe('Its environment.'),
        cwd: z.string().optional().describe('Its working directory.'),
      }),
    ),
    define(
      'http',
      'url',
      z.object({
        url: z.url().describe('The address.'),
        headers: z.record(z.string(), z.string()).default({}).describe('Headers to send.'),
      }),
    ),
    define('sse', undefined, z.object({ url: z.url().describe('The address.') })),
    define('builtin', 'server', z.object({ server: z.string().describe('Its name.') })),
  ],
};

/** What people may write about logging in to a server at a URL. */
import * as z from 'zod';

/** The options under `auth`. */
export const AUTH_OPTIONS = z
  .strictObject({
    type: z
      .enum(['oauth', 'client-credentials'])
      .default('oauth')
      .describe('who logs in: a person, with thimble login (oauth), or the gateway by itself'),
    clientId: z
      .string()
      .min(1)
      .optional()
      .describe('the client registered with the authorization server; without one, Thimble registers itself'),
    clientSecret: z.string().min(1).optional().describe('the secret of that client; best a reference'),
    privateKey: z
      .string()
      .min(1)
      .optional()
      .describe('a PKCS#8 key in PEM form that signs for the client instead of a secret; best a reference'),
    algorithm: z.string().min(1).default('ES256').describe('the algorithm of privateKey'),
    issuer: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('the authorization server the client belongs to; its secrets go nowhere else'),
    scope: z.string().min(1).optional().describe('scopes to ask for beside those the server names'),
    clientMetadataUrl: z
      .url({ protocol: /^https$/ })
      .optional()
      .describe('a client metadata document to be known by where the authorization server takes such'),
    redirectPort: z
      .int()
      .min(1)
      .max(65_535)
      .optional()
      .describe('the port of the callback during thimble login; any free one unless told'),
  })
  .refine(({ type, clientId }) => type === 'oauth' || clientId !== undefined, {
    path: ['clientId'],
    error: 'is needed for client-credentials',
  })
  .refine(({ type, clientSecret, privateKey }) => type === 'oauth' || clientSecret || privateKey, {
    path: ['clientSecret'],
    error: 'client-credentials need a clientSecret or a privateKey',
  });

/** How to log in to one server, in full. */
export type AuthOptions = z.output<typeof AUTH_OPTIONS>;

/** What holds for a server whose entry says nothing about it. */
export const DEFAULT_AUTH: AuthOptions = { type: 'oauth', algorithm: 'ES256' };

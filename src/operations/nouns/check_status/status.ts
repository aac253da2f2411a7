/** What the status page is made of. */
import * as z from 'zod';

/** All there is to say. */
export const STATUS = z.object({
  ok: z.boolean(),
  version: z.string(),
  home: z.string(),
  /** Where the configuration is, or would be, or why it cannot be used. */
  configuration: z.string(),
  processes: z.array(
    z.object({
      pid: z.number(),
      command: z.string(),
      startedAt: z.string(),
      url: z.string().optional(),
    }),
  ),
  servers: z.array(
    z.object({
      name: z.string(),
      state: z.string(),
      says: z.string(),
      ok: z.boolean(),
      /** False when it does not run and is not known to have answered. */
      seen: z.boolean(),
      /** What to do about it; empty when all is well. */
      next: z.string(),
      tools: z.number().optional(),
    }),
  ),
  /** What clients were shown last, in tokens a list. */
  surfaces: z.array(
    z.object({ client: z.string(), endpoint: z.string(), day: z.string(), tokens: z.number() }),
  ),
  shares: z.array(
    z.object({ name: z.string(), kind: z.string(), target: z.string(), expiresAt: z.string() }),
  ),
  errors: z.array(z.object({ name: z.string(), message: z.string(), agoMs: z.number() })),
  /** What of this could not be read. */
  unread: z.array(z.string()),
});

/** All there is to say. */
export type Status = z.output<typeof STATUS>;

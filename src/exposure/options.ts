/** What the configuration may say about modes, one member a mode; the configuration schema and the docs are made from it. */
import * as z from 'zod';

/** The options of every mode that has some. */
export const EXPOSURE_OPTIONS = {
  search: z
    .strictObject({
      learn: z
        .boolean()
        .default(true)
        .describe(
          'Whether search remembers which words led to which calls; false also forgets what it knew.',
        ),
    })
    .prefault({})
    .describe('The mode search.'),
  category: z
    .strictObject({
      enabled: z
        .boolean()
        .default(true)
        .describe('False disables /mcp/category and /router/mcp, as THIMBLE_DISABLE_ROUTER=1 does.'),
      budget: z
        .int()
        .min(500)
        .max(100_000)
        .default(4_000)
        .describe('How many tokens its tools may take; what does not fit is reached through <ns>_tools.'),
    })
    .prefault({})
    .describe('The mode category.'),
  activate: z
    .strictObject({
      default: z
        .string()
        .min(1)
        .optional()
        .describe(
          'The server whose tools are always shown: its id or name (memory, else the first); THIMBLE_DEFAULT_SERVER wins.',
        ),
    })
    .prefault({})
    .describe('The mode activate.'),
  noun: z
    .strictObject({
      groups: z
        .record(
          z.string(),
          z.record(z.string(), z.union([z.array(z.string().min(1)).min(1), z.literal(false)])),
        )
        .default({})
        .describe(
          'Groups by server id: a name with the tools it consists of, or with false so that it is never made.',
        ),
      brief: z
        .boolean()
        .default(false)
        .describe(
          'True leaves out what servers say of parameters and actions in groups; types, enums, defaults and limits stay.',
        ),
    })
    .prefault({})
    .describe('The mode noun.'),
  auto: z
    .strictObject({
      budget: z
        .int()
        .min(500)
        .max(100_000)
        .default(2_500)
        .describe('How many tokens the tools may take before a smaller mode is chosen.'),
    })
    .prefault({})
    .describe('The mode auto.'),
};

/** The options of every mode, complete. */
export type ExposureOptions = {
  readonly [Mode in keyof typeof EXPOSURE_OPTIONS]: z.output<(typeof EXPOSURE_OPTIONS)[Mode]>;
};

/** What holds where the configuration says nothing. */
export function createExposureOptions(): ExposureOptions {
  return z.object(EXPOSURE_OPTIONS).parse({});
}

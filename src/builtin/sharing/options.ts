/** What of sharing can be configured. */
import * as z from 'zod';

/** The options of sharing in the configuration file. */
export const SHARING_OPTIONS = z.object({
  name: z.string().min(1).max(100).optional().describe('what contacts see as your name'),
  maxFileMb: z
    .number()
    .positive()
    .max(50_000)
    .optional()
    .describe('megabytes a received file may have (1024)'),
  quotaMb: z
    .number()
    .positive()
    .max(1e9)
    .optional()
    .describe('megabytes all that one contact sent may have together (2048)'),
});

/** The options, checked. */
export type SharingOptions = z.output<typeof SHARING_OPTIONS>;

const MEGABYTE = 1024 * 1024;
const DEFAULT_FILE_MB = 1_024;
const DEFAULT_QUOTA_MB = 2_048;

/** What is taken in from one contact, in bytes. */
export interface IntakeLimits {
  readonly maxFile: number;
  readonly quota: number;
}

/** The two sizes in bytes. */
export function toIntakeLimits({ maxFileMb, quotaMb }: SharingOptions): IntakeLimits {
  return {
    maxFile: Math.floor((maxFileMb ?? DEFAULT_FILE_MB) * MEGABYTE),
    quota: Math.floor((quotaMb ?? DEFAULT_QUOTA_MB) * MEGABYTE),
  };
}

/** What of storage can be configured. */
import * as z from 'zod';
import { MEGABYTE } from '../size.ts';

/** The options of storage in the configuration file. */
export const STORAGE_OPTIONS = z.object({
  backend: z
    .enum(['local', 's3'])
    .optional()
    .describe('where contents are kept: a local directory, or an S3 store'),
  endpoint: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe("address of an S3 store that is not Amazon's"),
  region: z.string().min(1).max(100).optional().describe('region of the S3 store'),
  bucket: z.string().min(1).max(255).optional().describe('bucket of the S3 store'),
  accessKeyId: z.string().min(1).max(500).optional().describe('who we are at the S3 store'),
  secretAccessKey: z.string().min(1).max(500).optional().describe('the secret that goes with it'),
  pathStyle: z.boolean().optional().describe('bucket in the path instead of the host name'),
  quotaMb: z.number().positive().max(1e9).optional().describe('megabytes all files may have together (5120)'),
  maxUploadMb: z.number().positive().max(50_000).optional().describe('megabytes one file may have (100)'),
});

/** The options, checked. */
export type StorageOptions = z.output<typeof STORAGE_OPTIONS>;

const DEFAULT_QUOTA_MB = 5_120;
const DEFAULT_UPLOAD_MB = 100;

/** The two sizes in bytes. */
export function toByteLimits({ quotaMb, maxUploadMb }: StorageOptions): {
  readonly quota: number;
  readonly maxUpload: number;
} {
  return {
    quota: Math.floor((quotaMb ?? DEFAULT_QUOTA_MB) * MEGABYTE),
    maxUpload: Math.floor((maxUploadMb ?? DEFAULT_UPLOAD_MB) * MEGABYTE),
  };
}

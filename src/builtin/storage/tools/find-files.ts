/** The tools that look at stored files. */
import * as z from 'zod';
import { defineTool, READS } from '../../builtin.ts';
import { fence } from '../../fence.ts';
import { page, toNextOffset, toPageText } from '../../page.ts';
import { toSizeText } from '../../size.ts';
import type { Storage } from '../context.ts';
import { LINK_SECONDS, SHOWN_BUCKETS } from '../limits.ts';
import type { FileRow } from '../tables.ts';

const FILE = z.object({
  key: z.string(),
  name: z.string(),
  mime_type: z.string(),
  size: z.int(),
  bucket: z.string(),
  reference_type: z.string().optional(),
  reference_id: z.string().optional(),
  created_at: z.string(),
});

/** Lists files, the newest first. */
export const listFiles = defineTool({
  name: 'list_files',
  title: 'List files',
  description: 'List stored files, newest first',
  input: z.object({
    bucket: z.string().max(100).optional(),
    mime_type: z.string().max(127).optional().describe('or how it begins, such as image/'),
    reference_type: z.string().max(100).optional(),
    reference_id: z.string().max(200).optional(),
    limit: z.int().min(1).max(100).default(50),
    offset: z.int().min(0).default(0),
  }),
  output: z.object({ files: z.array(FILE), ...page }),
  annotations: READS,
  async run(input, { principal, files }: Storage) {
    const found = await files.list(principal, {
      bucket: input.bucket,
      mimeType: input.mime_type,
      referenceType: input.reference_type,
      referenceId: input.reference_id,
      limit: input.limit,
      offset: input.offset,
    });
    const { total } = found;
    const rest = toNextOffset(total, input.offset, found.files.length);
    return { files: found.files.map(toShown), total, ...rest };
  },
  toText({ files, ...rest }) {
    const head = toPageText('files', rest, files.length);
    if (files.length === 0) return head;
    return `${head} Key, name, type, size, bucket, created: ${fence(files.map(toLine).join('\n'))}`;
  },
});

/** Makes a link to a file that works without a login until it expires. */
export const getFileUrl = defineTool({
  name: 'get_file_url',
  title: 'Get a file URL',
  description: 'Get a download URL that expires',
  input: z.object({
    key: z.string().max(100),
    expiry: z.int().min(60).max(86_400).default(LINK_SECONDS).describe('seconds'),
  }),
  output: z.object({ url: z.string(), expires_at: z.string() }),
  annotations: READS,
  async run({ key, expiry }, { principal, files, now }: Storage) {
    const url = await files.link(await files.find(principal, key), expiry);
    return { url, expires_at: new Date(now() + expiry * 1000).toISOString() };
  },
  toText: ({ url, expires_at }) => `${url}\nuntil ${expires_at}`,
});

/** Counts files and what they use of the quota. */
export const storageStats = defineTool({
  name: 'storage_stats',
  title: 'Storage statistics',
  description: 'Files, space used and quota',
  input: z.object({}),
  output: z.object({
    files: z.int(),
    used_bytes: z.int(),
    quota_bytes: z.int(),
    used_percent: z.number(),
    max_upload_bytes: z.int(),
    backend: z.string(),
    buckets: z.array(z.object({ bucket: z.string(), files: z.int(), bytes: z.int() })),
  }),
  annotations: READS,
  async run(_, { principal, files, quota, maxUpload, backend }: Storage) {
    const buckets = (await files.count(principal)).toSorted((a, b) => b.bytes - a.bytes);
    const used = buckets.reduce((sum, { bytes }) => sum + bytes, 0);
    return {
      files: buckets.reduce((sum, each) => sum + each.files, 0),
      used_bytes: used,
      quota_bytes: quota,
      used_percent: Math.round((used / quota) * 1000) / 10,
      max_upload_bytes: maxUpload,
      backend,
      buckets: buckets.slice(0, SHOWN_BUCKETS),
    };
  },
  toText({ files, used_bytes, quota_bytes, used_percent, max_upload_bytes, backend, buckets }) {
    const total = `${files} files, ${toSizeText(used_bytes)} of ${toSizeText(quota_bytes)} (${used_percent} %); up to ${toSizeText(max_upload_bytes)} each; backend ${backend}.`;
    if (buckets.length === 0) return total;
    const lines = buckets.map((each) => `${each.bucket}: ${each.files} files, ${toSizeText(each.bytes)}`);
    return `${total} ${fence(lines.join('\n'))}`;
  },
});

function toShown(file: FileRow): z.input<typeof FILE> {
  const { id: key, name, mime_type, size, bucket, reference_type, reference_id, created_at } = file;
  return {
    key,
    name,
    mime_type,
    size,
    bucket,
    ...(reference_type === null ? {} : { reference_type }),
    ...(reference_id === null ? {} : { reference_id }),
    created_at,
  };
}

function toLine(file: z.input<typeof FILE>): string {
  const { key, name, mime_type, size, bucket, created_at } = file;
  const about = [file.reference_type, file.reference_id].filter((part) => part !== undefined).join(' ');
  const belongs = about === '' ? '' : `, for ${about}`;
  return `${key} ${name} (${mime_type}, ${toSizeText(size)}, ${bucket}, ${created_at}${belongs})`;
}

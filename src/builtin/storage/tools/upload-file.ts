/** The tool that takes files in. */
import * as z from 'zod';
import { GatewayError } from '../../../errors/gateway-error.ts';
import { ADDS, defineTool } from '../../builtin.ts';
import { toSizeText } from '../../size.ts';
import type { Storage } from '../context.ts';
import { parseMimeType } from '../file-types.ts';
import { INLINE_LIMIT, INLINE_TEXT_LIMIT, LINK_SECONDS, UPLOAD_SECONDS } from '../limits.ts';
import type { FileRow } from '../tables.ts';
import type { FileDetails } from '../upload-rows.ts';

const DEFAULT_BUCKET = 'files';

const INPUT = z.object({
  file_name: z.string().min(1).max(500),
  mime_type: z.string().min(3).max(127).optional(),
  data_base64: z
    .string()
    .max(INLINE_TEXT_LIMIT)
    .optional()
    .describe('content up to 1 MB; without it you get a URL to PUT it to'),
  bucket: z.string().min(1).max(100).default(DEFAULT_BUCKET),
  reference_type: z.string().min(1).max(100).optional().describe('kind of thing it belongs to'),
  reference_id: z.string().min(1).max(200).optional(),
});

const OUTPUT = z.object({
  key: z.string(),
  size: z.int().optional(),
  mime_type: z.string().optional(),
  sha256: z.string().optional(),
  url: z.string().optional(),
  upload_url: z.string().optional(),
  expires_at: z.string().optional(),
});

/** Stores a small file at once, or gives a URL that a file of any size can be sent to. */
export const uploadFile = defineTool({
  name: 'upload_file',
  title: 'Upload a file',
  description: 'Store a small file, or get a URL to upload a large one',
  input: INPUT,
  output: OUTPUT,
  annotations: ADDS,
  async run(input, storage: Storage) {
    const details: FileDetails = {
      principal: storage.principal,
      name: input.file_name,
      mimeType: checkType(input.mime_type),
      bucket: input.bucket,
      referenceType: input.reference_type,
      referenceId: input.reference_id,
    };
    return input.data_base64 === undefined
      ? announce(storage, details)
      : store(storage, details, parseBase64(input.data_base64));
  },
  toText(output) {
    if (output.upload_url !== undefined)
      return `PUT the bytes to ${output.upload_url} before ${output.expires_at} (curl -T FILE URL). The file is there once that is done, with the key ${output.key}.`;
    const link = output.url === undefined ? '' : ` Link until ${output.expires_at}: ${output.url}`;
    return `Stored ${toSizeText(output.size ?? 0)} with the key ${output.key}.${link}`;
  },
});

async function announce(storage: Storage, details: FileDetails): Promise<z.input<typeof OUTPUT>> {
  const key = storage.newKey();
  // Made first: without a server to send it to there is nothing to announce.
  const upload_url = storage.signer.toUrl('upload', key, UPLOAD_SECONDS);
  await storage.uploads.announce(details, UPLOAD_SECONDS, key);
  return { key, upload_url, expires_at: toTime(storage.now() + UPLOAD_SECONDS * 1000) };
}

async function store(storage: Storage, details: FileDetails, bytes: Buffer): Promise<z.input<typeof OUTPUT>> {
  const file = await storage.uploads.add(details, { content: inOnePiece(bytes), length: bytes.byteLength });
  const { id: key, size, mime_type, sha256 } = file;
  return { key, size, mime_type, sha256, ...(await findLink(storage, file)) };
}

/** The file is stored either way, so a link that cannot be made is left out. */
async function findLink(storage: Storage, file: FileRow): Promise<{ url?: string; expires_at?: string }> {
  try {
    const url = await storage.files.link(file, LINK_SECONDS);
    return { url, expires_at: toTime(storage.now() + LINK_SECONDS * 1000) };
  } catch (error) {
    if (error instanceof GatewayError) return {};
    throw error;
  }
}

async function* inOnePiece(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function checkType(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const type = parseMimeType(text);
  if (type !== undefined) return type;
  throw new GatewayError(
    'INVALID_PARAMS',
    'mime_type: is not a media type; write it as text/plain, or leave it out',
  );
}

function parseBase64(text: string): Buffer {
  const plain = text.replace(/\s+/g, '');
  const bytes = Buffer.from(plain, 'base64');
  // Node skips what it cannot read; what comes out again must be what went in.
  const same = bytes.toString('base64').replace(/=+$/, '') === plain.replace(/=+$/, '');
  if (!same)
    throw new GatewayError(
      'INVALID_PARAMS',
      'data_base64: is not base64; encode the bytes of the file, without a "data:" prefix',
    );
  if (bytes.byteLength <= INLINE_LIMIT) return bytes;
  throw new GatewayError(
    'INVALID_PARAMS',
    `data_base64: holds ${toSizeText(bytes.byteLength)}, and a call may carry ${toSizeText(INLINE_LIMIT)}; leave it out to get an upload URL`,
  );
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}

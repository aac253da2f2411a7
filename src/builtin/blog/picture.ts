/** Sends the cover of a post. */
import type { Picture } from './ports.ts';
import { GUARDS, isFresh } from './respond.ts';

/** Kinds that every browser shows and that can hold no script. */
const KINDS: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
]);

/** Whether it is something that can stand on a page. */
export function isPicture({ mimeType }: Picture): boolean {
  return KINDS.has(mimeType);
}

/** The answer with the picture, or that the reader has it already. */
export async function sendPicture(request: Request, picture: Picture): Promise<Response> {
  const etag = `"${picture.sha256}"`;
  const headers = { ...GUARDS, 'content-type': picture.mimeType, 'cache-control': 'no-cache', etag };
  if (isFresh(request, etag, undefined)) return new Response(null, { status: 304, headers });
  const body = request.method === 'HEAD' ? null : await picture.read();
  return new Response(body, { status: 200, headers: { ...headers, 'content-length': String(picture.size) } });
}

/** The pages of the blog as a web-standard handler: what is published for anyone, and nothing else. */
import { toHttpStatus } from '../../errors/to-wire.ts';
import { onceLoaded } from '../../lib/once-loaded.ts';
import type { BuiltinRoutes } from '../builtin.ts';
import { toToldError } from '../fault.ts';
import { BLOG_PATH, type Blog, openBlog } from './context.ts';
import { openSite } from './open-site.ts';
import type { BlogParts } from './ports.ts';
import { createRenderer, type Renderer } from './renderer.ts';
import { GUARDS, redirect, respond } from './respond.ts';
import { findRoute } from './routes.ts';

const METHODS = ['GET', 'HEAD'];

/** Creates the routes under `/blog`; tables are opened with the first request for a page. */
export function createBlogRoutes(parts: BlogParts): BuiltinRoutes {
  const render = createRenderer();
  const open = onceLoaded(() => openBlog(parts));
  return async (request) => {
    const url = new URL(request.url);
    if (url.pathname !== BLOG_PATH && !url.pathname.startsWith(`${BLOG_PATH}/`)) return undefined;
    if (!METHODS.includes(request.method))
      return toText(405, 'Only GET and HEAD are used here.', { allow: METHODS.join(', ') });
    if (url.pathname.endsWith('/')) return redirect(`${url.pathname.slice(0, -1)}${url.search}`);
    try {
      return await serve(await open(), render, request, url);
    } catch (thrown) {
      const error = toToldError(thrown, parts.onFault);
      return toText(toHttpStatus(error), 'The blog cannot be shown now. Please try again later.');
    }
  };
}

async function serve(blog: Blog, render: Renderer, request: Request, url: URL): Promise<Response> {
  const site = await openSite(blog, url.origin);
  const segments = toSegments(url.pathname);
  const answer = await findRoute(segments)({
    blog,
    site,
    render,
    request,
    query: url.searchParams,
    segments,
  });
  return answer instanceof Response ? answer : respond(request, answer, blog.now());
}

/** The parts of the path after the blog's own; what cannot be decoded is nobody's address. */
function toSegments(pathname: string): readonly string[] {
  const rest = pathname.slice(BLOG_PATH.length + 1);
  if (rest === '') return [];
  try {
    return rest.split('/').map((part) => decodeURIComponent(part).normalize('NFC'));
  } catch {
    return [''];
  }
}

function toText(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(`${text}\n`, {
    status,
    headers: {
      ...GUARDS,
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      ...headers,
    },
  });
}

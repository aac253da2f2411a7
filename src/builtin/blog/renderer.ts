/** Renders posts, and remembers what it rendered last. */
import { type Base, renderMarkdown } from './markdown.ts';

/** The text of a post as HTML. */
export type Renderer = (markdown: string, base?: Base) => string;

const MOST = 64;

/** Creates a renderer with a memory of its own. */
export function createRenderer(): Renderer {
  const known = new Map<string, string>();
  return (markdown, base) => {
    const key = `${base ?? ''}\n${markdown}`;
    const html = known.get(key) ?? renderMarkdown(markdown, base);
    known.delete(key);
    known.set(key, html);
    const [oldest] = known.keys();
    if (known.size > MOST && oldest !== undefined) known.delete(oldest);
    return html;
  };
}

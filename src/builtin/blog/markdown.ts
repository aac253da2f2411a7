/** Markdown to HTML that can do nothing but be read: what is not on the list does not come through. */
import { Marked } from 'marked';
import sanitizeHtml from 'sanitize-html';

/** Where relative addresses of a text lead; left as they are without one. */
export type Base = string | undefined;

/** More marks of emphasis than this between two empty lines are no emphasis, and cost their square. */
const MAX_MARKS = 2_000;
/** Quotes within quotes beyond this are no quotes, and fill the stack. */
const DEEP_QUOTE = /(?:>[ \t]?){50}/;
const NESTING = 60;

const MARKED = new Marked({
  gfm: true,
  renderer: {
    // A box that cannot be ticked is better said than shown.
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    table(token) {
      const head = `<tr>${token.header.map((cell) => this.tablecell(cell)).join('')}</tr>`;
      const rows = token.rows.map((row) => `<tr>${row.map((cell) => this.tablecell(cell)).join('')}</tr>`);
      const body = rows.length === 0 ? '' : `<tbody>${rows.join('\n')}</tbody>`;
      // Wide tables scroll inside their box, and the page stays.
      return `<div class="table"><table><thead>${head}</thead>${body}</table></div>\n`;
    },
  },
});

const TAGS = [
  ...['p', 'br', 'hr', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'pre', 'div', 'figure', 'figcaption'],
  ...['ul', 'ol', 'li', 'dl', 'dt', 'dd', 'details', 'summary'],
  ...['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
  ...['a', 'img', 'em', 'strong', 'b', 'i', 'u', 's', 'del', 'ins', 'mark', 'small', 'sub', 'sup'],
  ...['code', 'kbd', 'samp', 'var', 'abbr', 'cite', 'q', 'dfn', 'time', 'bdi', 'ruby', 'rt', 'rp', 'wbr'],
];

const ATTRIBUTES: sanitizeHtml.IOptions['allowedAttributes'] = {
  a: ['href', 'title', 'rel'],
  img: ['src', 'alt', 'title', 'loading', 'decoding'],
  ol: ['start'],
  td: ['align', 'colspan', 'rowspan'],
  th: ['align', 'colspan', 'rowspan', 'scope'],
  time: ['datetime'],
  abbr: ['title'],
  details: ['open'],
  '*': ['lang', 'dir'],
};

/** Renders Markdown; HTML in it is taken as far as it is harmless. */
export function renderMarkdown(markdown: string, base?: Base): string {
  const html = toRawHtml(markdown);
  return html === undefined ? toPlainHtml(markdown) : sanitizeHtml(html, toRules(base));
}

/** The words of a Markdown text without its marks. */
export function toPlainText(markdown: string): string {
  const html = toRawHtml(markdown);
  if (html === undefined) return squeeze(markdown);
  const text = sanitizeHtml(html, { allowedTags: [], allowedAttributes: {}, nestingLimit: NESTING });
  return squeeze(unescapeHtml(text));
}

/** Undefined when the text is no Markdown anybody wrote for reading. */
function toRawHtml(markdown: string): string | undefined {
  if (isTangled(markdown)) return undefined;
  try {
    return MARKED.parse(markdown, { async: false });
  } catch {
    // Nested deeper than the stack; it can still be read as plain text.
    return undefined;
  }
}

function isTangled(markdown: string): boolean {
  if (DEEP_QUOTE.test(markdown)) return true;
  return markdown.split(/\n[ \t]*\n/).some((block) => (block.match(/[*_~[]/g)?.length ?? 0) > MAX_MARKS);
}

function toRules(base: Base): sanitizeHtml.IOptions {
  return {
    allowedTags: TAGS,
    allowedAttributes: ATTRIBUTES,
    allowedClasses: { code: ['language-*'], div: ['table'] },
    allowedSchemes: ['http', 'https', 'mailto'],
    allowedSchemesByTag: { img: ['http', 'https'] },
    allowProtocolRelative: false,
    nestingLimit: NESTING,
    transformTags: {
      // The title of the post is the only heading of the first rank.
      h1: 'h2',
      a: (tagName, attribs) => ({
        tagName,
        attribs: { ...toAbsolute(attribs, 'href', base), rel: 'noopener' },
      }),
      img: (tagName, attribs) => ({
        tagName,
        attribs: { alt: '', ...toAbsolute(attribs, 'src', base), loading: 'lazy', decoding: 'async' },
      }),
    },
    exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !attribs['src'],
  };
}

function toAbsolute(attribs: sanitizeHtml.Attributes, name: string, base: Base): sanitizeHtml.Attributes {
  const given = attribs[name];
  if (given === undefined || base === undefined || !URL.canParse(given, base)) return attribs;
  return { ...attribs, [name]: new URL(given, base).href };
}

function toPlainHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<pre>${escaped}</pre>`;
}

/** The only entities the sanitiser writes; the ampersand last, so that nothing is read twice. */
function unescapeHtml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}

function squeeze(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}

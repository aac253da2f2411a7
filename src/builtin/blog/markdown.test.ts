/** Markdown as it is shown, and what of it is not. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { quickestOf } from '../../../test/support/quickest.ts';
import { toExcerpt, toReadingMinutes } from './excerpt.ts';
import { renderMarkdown, toPlainText } from './markdown.ts';

/** Ways to run something; none of ours needs a browser to be seen through. */
const ATTEMPTS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<iframe src=javascript:alert(1)></iframe>',
  '<a href="java\nscript:alert(1)">x</a>',
  '<a href="&#x6A;avascript:alert(1)">x</a>',
  '[x](javascript:alert(1))',
  '[x](<javascript:alert(1)>)',
  '[x](vbscript:x)',
  '[x](data:text/html,<script>)',
  '![x](data:image/svg+xml,<svg/onload=alert(1)>)',
  '![x" onerror="alert(1)](y)',
  '<p style="color:red" onclick="x()" id="main">x</p>',
  '<style>*{display:none}</style>',
  '<form><input name=q></form>',
  '<base href=//example.org>',
  '<math><mi//xlink:href="data:x,<script>alert(1)</script>">',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '```"><script>\nx\n```',
  '</div></main><script>alert(1)</script>',
];

/** Elements and attributes that may be in a text. */
const SAFE_TAG =
  /^<\/?(p|br|hr|h[2-6]|blockquote|pre|div|figure|figcaption|ul|ol|li|dl|dt|dd|details|summary|table|caption|thead|tbody|tfoot|tr|th|td|a|img|em|strong|b|i|u|s|del|ins|mark|small|sub|sup|code|kbd|samp|var|abbr|cite|q|dfn|time|bdi|ruby|rt|rp|wbr)( (href|src|title|rel|alt|loading|decoding|start|align|colspan|rowspan|scope|datetime|open|lang|dir|class)="[^"<>]*")*( \/)?>$/;

function expectHarmless(html: string): void {
  for (const [tag] of html.matchAll(/<[^>]*>?/g)) {
    expect(tag).toMatch(SAFE_TAG);
    for (const [, address = ''] of tag.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      // Only these entities may be left, so that nothing hides in another spelling.
      expect(address.replaceAll(/&(amp|lt|gt|quot);/g, '')).not.toContain('&');
      const { protocol } = new URL(address.replaceAll('&amp;', '&'), 'http://here/');
      expect(['http:', 'https:', 'mailto:']).toContain(protocol);
    }
  }
}

describe('renderMarkdown', () => {
  it.each(ATTEMPTS)('lets nothing run of %j', (text) => {
    for (const around of [
      text,
      `a\n\n${text}\n\nb`,
      `> ${text}`,
      `- ${text}`,
      `| ${text} |\n|---|\n| ${text} |`,
    ])
      expectHarmless(renderMarkdown(around));
  });

  it('lets nothing run of any mixture of pieces', () => {
    const piece = fc.constantFrom(
      ...['<', '>', '"', "'", '&', '/', '=', ' ', '\n', '`', '[', ']', '(', ')', '!', '|', '\\', ':', '#'],
      ...[
        'script',
        'img src',
        'onerror',
        'javascript',
        'a href',
        'svg',
        'style',
        '<!--',
        '-->',
        '&#106;',
        '<p>',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        expectHarmless(renderMarkdown(pieces.join('')));
      }),
      { numRuns: 1_500 },
    );
  });

  it('keeps what people write', () => {
    const html = renderMarkdown(
      '# One\n\n## Two\n\n**b** *i* ~~s~~ `c` <kbd>K</kbd>\n\n- [x] done\n- [ ] open\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```js\nx < 1\n```',
    );
    expect(html).toContain('<h2>One</h2>');
    expect(html).toContain('<strong>b</strong> <em>i</em> <del>s</del> <code>c</code> <kbd>K</kbd>');
    expect(html).toContain('☑ done');
    expect(html).toContain('☐ open');
    expect(html).toContain('<div class="table"><table>');
    expect(html).toContain('<td align="right">2</td>');
    expect(html).toContain('<pre><code class="language-js">x &lt; 1');
  });

  it('gives links and pictures what they need', () => {
    expect(renderMarkdown('[x](https://example.org/?a=1&b=2 "t")')).toContain(
      '<a href="https://example.org/?a=1&amp;b=2" title="t" rel="noopener">x</a>',
    );
    expect(renderMarkdown('[x](mailto:a@example.org) [y](/blog/z) [z](#a)')).toMatch(
      /href="mailto:a@example.org".*href="\/blog\/z".*href="#a"/,
    );
    expect(renderMarkdown('![a cat](cat.png)')).toContain(
      '<img alt="a cat" src="cat.png" loading="lazy" decoding="async" />',
    );
    expect(renderMarkdown('[x](//example.org/y)')).not.toContain('example.org');
  });

  it('makes addresses whole where the text will be read elsewhere', () => {
    const html = renderMarkdown('[x](other) ![](/p.png) [y](https://example.org/)', 'http://here/blog/post');
    expect(html).toContain('href="http://here/blog/other"');
    expect(html).toContain('src="http://here/p.png"');
    expect(html).toContain('href="https://example.org/"');
  });

  it.each([
    ['emphasis', '_a'.repeat(25_000)],
    ['stars', '**a'.repeat(16_000)],
    ['quotes', '>'.repeat(50_000)],
    ['brackets', '['.repeat(50_000)],
    ['pictures', '!['.repeat(25_000)],
    ['tags', '<p>'.repeat(16_000)],
    ['lists', Array.from({ length: 300 }, (_, at) => `${' '.repeat(at)}- a`).join('\n')],
  ])('is done with a tangle of %s in reasonable time, and loses nothing of it', async (_, text) => {
    let html = '';
    const took = await quickestOf(2, () => {
      html = renderMarkdown(text);
    });
    expect(took).toBeLessThan(3_000);
    expectHarmless(html);
    expect(html).not.toBe('');
  });
});

describe('toExcerpt', () => {
  it('is the words without the marks', () => {
    expect(toExcerpt('# Title\n\nSome **bold** [link](x) & `a < b`\n\n- one')).toBe(
      'Title Some bold link & a < b one',
    );
    expect(toPlainText('a &amp;lt; b &lt;script&gt;')).toBe('a &lt; b <script>');
  });

  it('is cut between words, or within one that never ends', () => {
    const cut = toExcerpt('thread, needle '.repeat(40));
    expect([...cut].length).toBeLessThanOrEqual(200);
    expect(cut).toMatch(/(thread|needle)…$/);
    expect([...toExcerpt('糸'.repeat(500))]).toHaveLength(200);
    expect([...toExcerpt('🧵'.repeat(500))].at(-2)).toBe('🧵');
  });

  it('says how long reading takes, in scripts with and without spaces', () => {
    expect(toReadingMinutes('short')).toBe(1);
    expect(toReadingMinutes('word '.repeat(1_100))).toBe(5);
    expect(toReadingMinutes('字'.repeat(1_500))).toBe(3);
  });
});

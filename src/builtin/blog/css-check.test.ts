/** Which style sheets are taken, and why others are not. */
import { describe, expect, it } from 'vitest';
import { quickestOf } from '../../../test/support/quickest.ts';
import { findCssFaults } from './css-check.ts';
import { THEMES } from './tables.ts';
import { toStyleSheet } from './themes/themes.ts';

describe('findCssFaults', () => {
  it.each([
    '',
    ':root { --accent: #a33; --measure: 44rem }',
    '.title::before { content: "\\201C"; }',
    '@media (min-width: 40rem) and (prefers-color-scheme: dark) { .name a:not(:hover) { color: rgb(1 2 3 / 50%) } }',
    '@supports (display: grid) { main { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)) } }',
    '@keyframes fade { from { opacity: 0 } to { opacity: 1 } }',
    '/* a comment with url(x) and @import */ p { width: calc(100% - var(--x, 1rem)) }',
    "a[href^='http']::after { content: ' ↗' }",
    'body { background: linear-gradient(to right, #fff, #eee) }',
  ])('takes %j', (css) => {
    expect(findCssFaults(css)).toEqual([]);
  });

  it.each([
    ['@import "https://example.org/x.css";', '@import is not allowed'],
    ['@IMPORT url(x);', '@IMPORT is not allowed'],
    ['@font-face { src: url(x) }', '@font-face is not allowed'],
    ['p { background: url(https://example.org/x.png) }', 'url() is not allowed'],
    ['p { background: URL( "x" ) }', 'URL() is not allowed'],
    ['p { background: u\\72l(x) }', 'a backslash is allowed in strings only'],
    ['p { background: image-set("x" 1x) }', 'image-set() is not allowed'],
    ['p { background: src("x") }', 'src() is not allowed'],
    ['p { --x: url(x) }', 'url() is not allowed'],
    ['p { width: expression(alert(1)) }', 'expression() is not allowed'],
    ['p { behavior: x }', 'behavior is not allowed'],
    ['p { -moz-binding: x }', '-moz-binding is not allowed'],
    ['</style><script>alert(1)</script>', '"<" is not allowed; use min-width and max-width in media queries'],
    ['p::before { content: "</style>" }', 'write \\3c instead of "<" in a string'],
    ['p { color: red', 'a "}" is missing at the end'],
    ['p { color: red }}', 'a "}" closes nothing'],
    ['p { color: rgb(1,2,3 }', 'a "}" closes nothing'],
    ['p::before { content: "x }', 'a string does not end on its line'],
    ['p::before { content: "a\nb" }', 'a string does not end on its line'],
    ['p { color: red\u0001 }', 'control characters are not allowed'],
  ])('refuses %j', (css, reason) => {
    expect(findCssFaults(css)).toContain(reason);
  });

  it('is done with the longest sheet at once, however it is made', async () => {
    const took = await quickestOf(3, () => {
      for (const piece of ['/*', '"', "'\\", '((', 'a', '@', '*/', '{']) findCssFaults(piece.repeat(5_000));
    });
    expect(took).toBeLessThan(2_000);
  });

  it.each(THEMES)('finds nothing in the theme %s either', (theme) => {
    expect(findCssFaults(toStyleSheet(theme, undefined))).toEqual([]);
    expect(toStyleSheet(theme, 'p{}').endsWith('p{}')).toBe(true);
  });
});

/** The style sheets: what all themes share, then the colours and letters of the chosen one, then one's own. */
import type { Theme } from '../tables.ts';
import { BASE_CSS } from './base.ts';
import { PRINT_CSS } from './print.ts';

const LIGHT_COLOURS =
  '--paper:#fdfdfc;--ink:#1d2126;--muted:#59616c;--accent:#0a5a83;--line:#dfe2e6;--soft:#f1f3f5;--mark:#fff1b8;';
const DARK_COLOURS =
  '--paper:#14171b;--ink:#dfe3e8;--muted:#99a3af;--accent:#82c4f0;--line:#2c323a;--soft:#1e2329;--mark:#5b4a10;';
const PAPER_COLOURS =
  '--paper:#fbf8f2;--ink:#2b2622;--muted:#6b6056;--accent:#8b2c28;--line:#e4dccf;--soft:#f3ede2;--mark:#f7e7a6;';
const LAMP_COLOURS =
  '--paper:#1b1815;--ink:#e6ded3;--muted:#a89c8d;--accent:#eba48f;--line:#3a332c;--soft:#26211c;--mark:#57461a;';

const SANS =
  '--text:system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif;--head:var(--text);';
const SERIF =
  '--text:"Iowan Old Style","Palatino Linotype",Palatino,"Source Serif 4",Charter,"Noto Serif","DejaVu Serif",Georgia,serif;--head:var(--text);';

/** Follows what the reader's device prefers. */
function adaptive(light: string, dark: string): string {
  return `:root{color-scheme:light dark;${light}}\n@media (prefers-color-scheme:dark){:root{${dark}}}\n`;
}

const SERIF_CSS = `
html{font-size:112.5%}
body{line-height:1.7}
header.site{flex-direction:column;align-items:center;text-align:center;gap:1rem;border-bottom:0;padding-bottom:0;margin-bottom:3rem}
.brand{flex:none;width:100%}
.name{font-size:1.6rem;font-weight:400;letter-spacing:.02em}
.tagline{font-style:italic}
header.site::after{content:"\\2042";color:var(--accent);font-size:1.2rem;line-height:1}
.title{font-weight:400;letter-spacing:-.005em}
.posts>li{text-align:start}
.byline{font-size:.9rem;font-variant-numeric:oldstyle-nums}
.text :is(h2,h3,h4){font-weight:600}
.text>p{hyphens:auto}
.text blockquote{border:0;padding-inline:1.5rem;font-style:italic}
.post>header{text-align:center}
.post>header .byline{justify-content:center}
`;

const THEME_CSS: Readonly<Record<Theme, string>> = {
  light: `${adaptive(LIGHT_COLOURS, DARK_COLOURS)}:root{${SANS}}\n`,
  dark: `:root{color-scheme:dark;${DARK_COLOURS}${SANS}}\n`,
  serif: `${adaptive(PAPER_COLOURS, LAMP_COLOURS)}:root{${SERIF}}\n`,
};

/** The style sheet of a blog. */
export function toStyleSheet(theme: Theme, own: string | undefined): string {
  const parts = [THEME_CSS[theme], BASE_CSS, theme === 'serif' ? SERIF_CSS : '', PRINT_CSS, own ?? ''];
  return parts.filter((part) => part !== '').join('\n');
}
